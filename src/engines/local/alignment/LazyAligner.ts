/** A speech aligner whose code and threads are loaded with the first clip: most runs need neither. */
import { Effect, Scope } from "effect"
import type { SpeechAligner } from "./SpeechAligner.ts"

/** Makes the aligner; its threads end with the scope. */
export const lazySpeechAligner: Effect.Effect<SpeechAligner, never, Scope.Scope> = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const opened = yield* Effect.cached(
    Effect.promise(() => import("./SpeechAligner.ts")).pipe(
      Effect.flatMap(({ makeSpeechAligner }) => Scope.extend(makeSpeechAligner(), scope))
    )
  )
  return { align: (request) => Effect.flatMap(opened, ({ align }) => align(request)) }
})
