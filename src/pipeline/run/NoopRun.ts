/** Run of an unchanged batch: repeats its last result and does nothing else. */
import { Effect } from "effect"
import { Progress } from "../Progress.ts"
import { openFolder } from "../report/ResultFolder.ts"
import { startRun, finishRun, nothingSpoken } from "./RunCompletion.ts"
import type { NoopBatch } from "./NoopCheck.ts"

/** Finishes a run at once, because every clip and every result exists. */
export const reportNoop = Effect.fn("NoopRun.reportNoop")(function* ({
  batch,
  results,
  utterances
}: NoopBatch) {
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
