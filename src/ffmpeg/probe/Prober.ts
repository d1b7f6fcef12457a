/** Runs the probe job on a file. */
import { Effect } from "effect"
import type { Binary } from "../process/FfmpegBinary.ts"
import type { FfmpegChoice } from "../process/FfmpegChoice.ts"
import { NotMedia } from "../process/FfmpegErrors.ts"
import { headOf, textIn } from "../process/FileHead.ts"
import { runJob } from "../process/JobRunner.ts"
import { parseProbe, probeJob } from "./ProbeJob.ts"

/** Probes a file. If the first ffmpeg cannot read a file, the spare one tries: it may know the format. */
export const probeFile = Effect.fn("Prober.probeFile")(function* (ffmpeg: FfmpegChoice, path: string) {
  const head = yield* Effect.promise(() => headOf(path))
  if (head === undefined) return yield* new NotMedia({ path, found: "no readable file" })
  if (head.length === 0) return yield* new NotMedia({ path, found: "an empty file" })
  const text = textIn(head)
  return yield* probeWith(ffmpeg.first, path).pipe(
    Effect.mapError((fault) =>
      fault._tag === "NotMedia" && text !== undefined ? new NotMedia({ path, found: text }) : fault
    ),
    Effect.catchTag("NotMedia", (refusal) =>
      Effect.flatMap(ffmpeg.spare, (spare) =>
        spare === undefined ? refusal : Effect.mapError(probeWith(spare, path), () => refusal)
      )
    )
  )
})

/** Reads a file's last packets, or the whole file if those are not enough. */
const probeWith = Effect.fnUntraced(function* (binary: Binary, path: string) {
  const byEnd = yield* Effect.either(look(binary, path, "tail"))
  if (byEnd._tag === "Right" && byEnd.right !== undefined) return byEnd.right
  if (byEnd._tag === "Left" && byEnd.left.exitCode === undefined) return yield* byEnd.left
  const byAll = yield* Effect.either(look(binary, path, "whole"))
  if (byAll._tag === "Right" && byAll.right !== undefined) return byAll.right
  if (byAll._tag === "Left" && byAll.left.exitCode === undefined) return yield* byAll.left
  return yield* new NotMedia({
    path,
    found:
      byAll._tag === "Left"
        ? `a file that ffmpeg cannot read: ${byAll.left.reason}`
        : "a file without video or audio"
  })
})

const look = (binary: Binary, path: string, extent: "tail" | "whole") =>
  runJob(binary, probeJob(path, extent)).pipe(
    Effect.map(({ stdout, stderr }) => parseProbe(path, stderr, stdout))
  )
