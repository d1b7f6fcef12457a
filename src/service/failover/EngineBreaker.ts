/**
 * Circuit breaker of one engine. After failures, the engine is set aside for a pause; then one task tries it. If the
 * task succeeds, the engine is used again; otherwise the next pause is twice as long. Times are in milliseconds.
 */

export type EngineBreaker =
  /** In use; `faults` counts the failures since the last success. */
  | { readonly _tag: "InUse"; readonly faults: number }
  /** Set aside until a time. After that, one task may try it. */
  | { readonly _tag: "SetAside"; readonly until: number; readonly pause: number }
  /** One task is trying it. */
  | { readonly _tag: "OnTrial"; readonly pause: number }

/** The initial state. */
export const unusedEngine: EngineBreaker = { _tag: "InUse", faults: 0 }

/** Consecutive failures after which an engine is set aside. */
export const mostFaults = 3
/** The first pause. */
export const firstPause = 30_000
/** The longest pause. */
export const longestPause = 15 * 60_000

/** Whether a task may use the engine now. */
export const mayUse = (state: EngineBreaker, now: number): boolean =>
  state._tag === "InUse" || (state._tag === "SetAside" && now >= state.until)

/** The state while a task uses the engine. */
export const onUse = (state: EngineBreaker): EngineBreaker =>
  state._tag === "SetAside" ? { _tag: "OnTrial", pause: state.pause } : state

/** The state after the engine has failed. A `lasting` failure, such as an exhausted account, sets it aside at once. */
export const onFault = (state: EngineBreaker, now: number, lasting: boolean): EngineBreaker => {
  switch (state._tag) {
    case "InUse": {
      const faults = state.faults + 1
      return lasting || faults >= mostFaults ? setAside(now, firstPause) : { _tag: "InUse", faults }
    }
    case "OnTrial":
      return setAside(now, Math.min(longestPause, state.pause * 2))
    // A task that began before the pause has failed, too.
    case "SetAside":
      return state
  }
}

/** The state after the engine has spoken, or has refused a text for a fault of the text. */
export const onSpeech = (state: EngineBreaker): EngineBreaker =>
  // A task that began before the pause proves nothing about the engine now.
  state._tag === "SetAside" ? state : unusedEngine

/** The state after a task was interrupted: the next one may try the engine at once. */
export const onInterruption = (state: EngineBreaker, now: number): EngineBreaker =>
  state._tag === "OnTrial" ? { _tag: "SetAside", until: now, pause: state.pause } : state

const setAside = (now: number, pause: number): EngineBreaker => ({
  _tag: "SetAside",
  until: now + pause,
  pause
})
