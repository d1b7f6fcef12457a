/** A run of a batch that stands as its last run left it: says so again, and does nothing else. */
import { Effect } from "effect"
import { Progress } from "../Progress.ts"
import { openFolder } from "../report/ResultFolder.ts"
import { startRun, finishRun, nothingSpoken } from "./RunCompletion.ts"
import type { NoopBatch } from "./NoopCheck.ts"

/** Ends a run before it has begun: every clip and every result is at hand. */
export const reportNoop = Effect.fn("Again.run")(function* ({ batch, results, utterances }: NoopBatch) {
  const begun = yield* startRun
  const progress = yield* Progress
  yield* openFolder(batch.out)
  yield* progress.emit({
    _tag: "Planned",
    jobs: results.length,
    utterances: 0,
    characters: 0,
    reused: utterances
  })
  return yield* finishRun(batch, begun, nothingSpoken(utterances), results)
})
