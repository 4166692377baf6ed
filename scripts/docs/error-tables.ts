/** Every error table of the project. A test finds the exported ones in the source and fails when one is not in this list. */
import { ERRORS as AACP } from "../../orchestrator/aacp/errors.ts"
import { ERRORS as API } from "../../orchestrator/api/errors.ts"
import { ERRORS as CHAIN } from "../../orchestrator/chain/errors.ts"
import { ERRORS as CLI } from "../../orchestrator/cli/errors.ts"
import { ERRORS as CLIENT } from "../../orchestrator/client/transport.ts"
import { ERRORS as CONFIG } from "../../orchestrator/config.ts"
import { ERRORS as CONFIRMATION } from "../../orchestrator/confirmation-service/errors.ts"
import { ERRORS as CONTRACT } from "../../orchestrator/contract/errors.ts"
import type { ErrorEntry, ErrorTable } from "../../orchestrator/errors.ts"
import { ERRORS as JSON_ERRORS } from "../../orchestrator/json/errors.ts"
import { ERRORS as SETUP } from "../../orchestrator/setup-record.ts"
import { ERRORS as STORE } from "../../orchestrator/store/errors.ts"
import { ERRORS as TIMERS } from "../../orchestrator/timers/errors.ts"
import { ERRORS as CHECKS } from "../../orchestrator/verifier-runner/checks/errors.ts"
import { ERRORS as VERIFIER } from "../../orchestrator/verifier-runner/errors.ts"
import { ERRORS as ENGINE } from "../../orchestrator/verifier-runner/host/errors.ts"
import { ERRORS as DEMO } from "../demo/errors.ts"
import { ERRORS as DEPLOY } from "../deploy.ts"
import { ERRORS as PROCESS } from "../local/process.ts"

/** One table: the file that exports it and the heading its codes stand under. */
export type DeclaredTable = { file: string; area: string; table: ErrorTable }

const of = (area: string, file: string, table: ErrorTable): DeclaredTable => ({ area, file, table })

export const ERROR_TABLES: readonly DeclaredTable[] = [
  of("Command line", "orchestrator/cli/errors.ts", CLI),
  of("Set-up and configuration", "orchestrator/setup-record.ts", SETUP),
  of("Set-up and configuration", "orchestrator/config.ts", CONFIG),
  of("Strict JSON", "orchestrator/json/errors.ts", JSON_ERRORS),
  of("Contract and linter", "orchestrator/contract/errors.ts", CONTRACT),
  of("HTTP interface", "orchestrator/api/errors.ts", API),
  of("Client", "orchestrator/client/transport.ts", CLIENT),
  of("Confirmation evidence (AACP)", "orchestrator/aacp/errors.ts", AACP),
  of("Confirmation service", "orchestrator/confirmation-service/errors.ts", CONFIRMATION),
  of("Chain", "orchestrator/chain/errors.ts", CHAIN),
  of("Store", "orchestrator/store/errors.ts", STORE),
  of("Timers", "orchestrator/timers/errors.ts", TIMERS),
  of("Verifier", "orchestrator/verifier-runner/errors.ts", VERIFIER),
  of("Verifier: checks that end as `error`", "orchestrator/verifier-runner/checks/errors.ts", CHECKS),
  of("Verifier: engine and images", "orchestrator/verifier-runner/host/errors.ts", ENGINE),
  of("Local network and demonstration", "scripts/deploy.ts", DEPLOY),
  of("Local network and demonstration", "scripts/local/process.ts", PROCESS),
  of("Local network and demonstration", "scripts/demo/errors.ts", DEMO),
]

/** A code, its entry, and where it is declared. */
export type CatalogedError = { code: string; area: string; entry: ErrorEntry }

/** Codes declared twice with different texts: a reader could not know which is meant. */
export const contradictions = (tables: readonly DeclaredTable[]): string[] => {
  const first = new Map<string, { file: string; entry: ErrorEntry }>()
  const problems: string[] = []
  for (const { file, table } of tables) {
    for (const [code, entry] of Object.entries(table)) {
      const known = first.get(code)
      if (known === undefined) first.set(code, { file, entry })
      else if (JSON.stringify(known.entry) !== JSON.stringify(entry)) problems.push(`${code}: ${known.file} and ${file} differ`)
    }
  }
  return problems
}

/** Every code once, by area in the tables' order and then by code. */
export const catalogOf = (tables: readonly DeclaredTable[]): CatalogedError[] => {
  // The smallest table that has a code is where it is declared; larger ones have taken that table in.
  const bySize = tables.toSorted((a, b) => Object.keys(a.table).length - Object.keys(b.table).length)
  const byCode = new Map<string, CatalogedError>()
  for (const { area, table } of bySize) {
    for (const [code, entry] of Object.entries(table)) if (!byCode.has(code)) byCode.set(code, { code, area, entry })
  }
  const order = [...new Set(tables.map(({ area }) => area))]
  return [...byCode.values()].sort((a, b) => order.indexOf(a.area) - order.indexOf(b.area) || (a.code < b.code ? -1 : 1))
}
