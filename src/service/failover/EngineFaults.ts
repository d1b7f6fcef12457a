/** Decides which failures are an engine's own, so that another engine may speak instead. */
import { EngineUnavailable, SpeechFailed } from "../../engines/Engine.ts"

/**
 * `passing`: the engine was slow, busy or broken. `lasting`: it is unavailable, or its account is exhausted. Undefined:
 * the text or the service itself is at fault, and another engine would not help.
 */
export const engineFaultIn = (failure: { readonly _tag: string }): "passing" | "lasting" | undefined => {
  if (failure._tag === "TooSlow") return "passing"
  if (failure instanceof EngineUnavailable) return "lasting"
  if (!(failure instanceof SpeechFailed)) return undefined
  switch (failure.reason) {
    case "quota":
      return "lasting"
    case "timeout":
    case "crashed":
    case "bad-output":
    case "busy":
      return "passing"
    case "nothing-to-say":
    case "unknown-voice":
    case "too-long":
    case "refused":
      return undefined
  }
}
