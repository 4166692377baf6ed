/** The check type `test_suite_pass`. */

import { isAfgError } from "../../../errors.ts"
import type { CheckKind } from "../check.ts"
import { readTestCommand } from "./command.ts"
import { runTestSuitePass } from "./run.ts"

export const testSuitePass: CheckKind<"test_suite_pass"> = {
  type: "test_suite_pass",
  unsupported: (check) => {
    try {
      readTestCommand(check.test_command)
      return []
    } catch (error) {
      if (!isAfgError(error)) throw error
      return [{ code: error.code, path: "/test_command", message: error.message }]
    }
  },
  run: runTestSuitePass,
}
