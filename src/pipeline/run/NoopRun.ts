/** A run of a batch that stands as its last run left it: says so again, and does nothing else. */
import { Effect } from "effect"
import { Progress } from "../Progress.ts"
import { openFolder } from "../report/ResultFolder.ts"
import { beginning, endRun, nothingSaid } from "./RunCompletion.ts"
import type { Unchanged } from "./NoopCheck.ts"

/** Ends a run before it has begun: every clip and every result is at hand. */
export const again = Effect.fn("Again.run")(function* ({ batch, results, utterances }: Unchanged) {
  const begun = yield* beginning
  const progress = yield* Progress
  yield* openFolder(batch.out)
  yield* progress.emit({
    _tag: "Planned",
    jobs: results.length,
    utterances: 0,
    characters: 0,
    reused: utterances
  })
  return yield* endRun(batch, begun, nothingSaid(utterances), results)
})
