#!/usr/bin/env node
// `npm run check`: everything that can be judged without running the program. What it does is in scripts/check/run.ts.
import { handOver } from "./setup/hand-over.mjs"

handOver("scripts/check/run.ts")
