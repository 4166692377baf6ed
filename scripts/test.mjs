#!/usr/bin/env node
// `npm test`: every test, or the files named. What it does is in scripts/test/run.ts, which wants the project's Node.
import { handOver } from "./setup/hand-over.mjs"

handOver("scripts/test/run.ts")
