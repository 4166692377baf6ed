/** Every rule that needs the contract and what is given with it, and nothing else. */
import type { Rule } from "../rule.ts"
import { CHECK_RULES } from "./checks.ts"
import { ESCROW_RULES } from "./escrow.ts"
import { INPUT_RULES } from "./inputs.ts"
import { MONEY_RULES } from "./money.ts"
import { PEOPLE_RULES } from "./people.ts"
import { TIME_RULES } from "./time.ts"

export const RULES: readonly Rule[] = [...PEOPLE_RULES, ...ESCROW_RULES, ...TIME_RULES, ...MONEY_RULES, ...INPUT_RULES, ...CHECK_RULES]
