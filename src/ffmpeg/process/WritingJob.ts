/** Runs the jobs that write results. */
import { Effect } from "effect"
import type { FfmpegChoice } from "./FfmpegChoice.ts"
import { DiskFull, saysDiskFull } from "./FfmpegErrors.ts"
import type { Feed, FfmpegJob } from "./FfmpegJob.ts"

/** Runs a job with the binary that suits it. If the disk is full, the error names `target`. */
export const runWriting = Effect.fnUntraced(function* (
  ffmpeg: FfmpegChoice,
  job: FfmpegJob,
  target: string,
  feed?: Feed
) {
  // Deliveries of WAV and FLAC files run none.
  const { runJob } = yield* Effect.promise(() => import("./JobRunner.ts"))
  return yield* runJob(yield* ffmpeg.forJob(job), job, feed).pipe(
    Effect.mapError((failure) =>
      saysDiskFull(failure.stderrTail) ? new DiskFull({ path: target }) : failure
    )
  )
})
