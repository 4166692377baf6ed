// Preloaded into a service: kills it, as `kill -9` would, at the moment at which it begins to sign a decision.
import { registerHooks } from "node:module"

const ENTRY = /(const signDecision = async \([^{]*\{)/

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context)
    if (!url.endsWith("/confirmation-service/signing/answers.ts")) return loaded
    const source = String(loaded.source)
    const deadly = source.replace(ENTRY, '$1 process.kill(process.pid, "SIGKILL"); await new Promise(() => {});')
    if (deadly === source) throw new Error("the place to die at was not found")
    return { ...loaded, source: deadly }
  },
})
