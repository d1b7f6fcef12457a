/** The `review` command: serves the reports with an editor to change, replay and accept single cues. */
import { userInfo } from "node:os"
import { Effect, Layer } from "effect"
import { namesManifest } from "../../pipeline/load/BatchLoader.ts"
import { type BatchOptions, loadBatchInput } from "../batch/BatchInput.ts"
import { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import type { MediaInfo } from "../../ffmpeg/probe/MediaInfo.ts"
import { ffmpegFromEnvironment } from "../../library/layers/FfmpegLayers.ts"
import { fileIdentity } from "../../system/FileIdentity.ts"
import { badUsage } from "../ExitCodes.ts"
import { serveReview } from "./ReviewServer.ts"
import { Screen } from "../terminal/Screen.ts"

export interface ReviewOptions extends BatchOptions {
  readonly port: number
  /** The reviewer's name; default: the login name. */
  readonly reviewer: string | undefined
}

/** The login name of the user. The system may not know it. */
const loginName = (): string => {
  try {
    return userInfo().username
  } catch {
    return "unknown"
  }
}

/** Probes a film again only after it has changed: every request of a review plans its job. */
const probingOnce = Layer.effect(
  Ffmpeg,
  Effect.map(Ffmpeg, (ffmpeg) => {
    const known = new Map<string, { readonly identity: string; readonly info: MediaInfo }>()
    return Ffmpeg.make({
      ...ffmpeg,
      probe: Effect.fnUntraced(function* (path: string) {
        const identity = fileIdentity(path)
        const last = known.get(path)
        if (last !== undefined && last.identity === identity) return last.info
        const info = yield* ffmpeg.probe(path)
        if (identity !== undefined) known.set(path, { identity, info })
        return info
      })
    })
  })
).pipe(Layer.provide(ffmpegFromEnvironment))

/** Serves until interrupted. */
export const reviewCommand = (options: ReviewOptions) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const [manifest] = options.inputs
    if (!(yield* namesManifest(manifest)))
      return yield* badUsage("review: expected a manifest; accepted changes are saved beside it")
    yield* loadBatchInput(options)
    yield* serveReview(options, options.port, options.reviewer ?? loginName())
    if (!options.quiet)
      yield* screen.say("open this address in a browser on this machine; Ctrl-C ends the review")
    return yield* Effect.never
  }).pipe(Effect.scoped, Effect.provide(probingOnce))
