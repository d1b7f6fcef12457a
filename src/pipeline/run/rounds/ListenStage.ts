/**
 * Listens to the clips of a batch with the recogniser of each job. A recogniser that fails leaves its clips unheard,
 * with one warning; it never fails the run.
 */
import { dirname, resolve } from "node:path"
import { Config, Effect, Either, Option } from "effect"
import type { Clip } from "../../../domain/speech/Clip.ts"
import type { ClipHearing } from "../../../domain/speech/Hearing.ts"
import type { ListenSettings } from "../../../domain/manifest/ListenSettings.ts"
import type { JobId, UtteranceKey } from "../../../domain/values/Ids.ts"
import { makeCommandRecogniser } from "../../../engines/recognition/CommandRecogniser.ts"
import { makeEndpointRecogniser } from "../../../engines/recognition/EndpointRecogniser.ts"
import { HelperFailed } from "../../../engines/helpers/HelperFailed.ts"
import { makeHelperHealth } from "../../../engines/helpers/HelperHealth.ts"
import type { Recogniser } from "../../../engines/recognition/Recogniser.ts"
import type { ExpectedWords } from "../../../script/heard/HeardFaults.ts"
import { Progress } from "../../Progress.ts"
import { listenToClip } from "./ClipListener.ts"

/** Opens a job's recogniser; `manifest` is the manifest's path, from whose folder programs are started. */
export const openRecogniser = Effect.fn("ListenStage.openRecogniser")(function* (
  { command, baseUrl, model = "whisper-1", timeout = 120, concurrency }: ListenSettings,
  manifest: string
) {
  const within = `${timeout} seconds` as const
  if (command !== undefined)
    return yield* makeCommandRecogniser({
      command,
      folder: dirname(resolve(manifest)),
      concurrency: concurrency ?? 1,
      timeout: within
    })
  const url = baseUrl ?? Option.getOrUndefined(yield* setting("DUBWRIGHT_LISTEN_URL"))
  if (url === undefined)
    return yield* new HelperFailed({
      reason: "unusable",
      detail: "no recogniser is named; set listen.command or listen.baseUrl, or DUBWRIGHT_LISTEN_URL"
    })
  const key = yield* Effect.option(Config.redacted(Config.nonEmptyString("DUBWRIGHT_LISTEN_KEY")))
  return yield* makeEndpointRecogniser({
    baseUrl: url,
    model,
    key: Option.getOrUndefined(key),
    concurrency: concurrency ?? 4,
    timeout: within
  })
})

const setting = (name: string) => Effect.option(Config.nonEmptyString(name))

/** Listens to clips with one recogniser, a few at a time. Returns the result for each. Shows progress for a job. */
export const listenToClips = Effect.fn("ListenStage.listenToClips")(function* (
  opened: Either.Either<Recogniser, HelperFailed>,
  clips: ReadonlyMap<UtteranceKey, Clip>,
  expected: ReadonlyMap<UtteranceKey, ExpectedWords>,
  job?: JobId
) {
  const progress = yield* Progress
  const hearings = new Map<UtteranceKey, ClipHearing>()
  const wanted = [...expected].flatMap(([key, words]) => {
    const clip = clips.get(key)
    return clip === undefined ? [] : [{ key, clip, words }]
  })
  const health = makeHelperHealth(opened)
  const showProgress =
    job === undefined
      ? Effect.void
      : Effect.suspend(() =>
          progress.emit({ _tag: "Listening", job, done: hearings.size, total: wanted.length })
        )
  if (wanted.length > 0) yield* showProgress
  yield* Effect.forEach(
    wanted,
    ({ key, clip, words }) =>
      Effect.flatMap(
        health.ask((recogniser) => listenToClip(recogniser, clip, words)),
        (heard) => {
          hearings.set(
            key,
            Either.getOrElse(heard, (unheard): ClipHearing => ({ unheard }))
          )
          return showProgress
        }
      ),
    { concurrency: Either.isLeft(opened) ? 1 : opened.right.concurrency, discard: true }
  )
  const unheard = [...hearings.values()].filter((hearing) => "unheard" in hearing).length
  if (unheard > 0)
    yield* progress.emit({
      _tag: "Warning",
      message: `listen: ${unheard} of ${wanted.length} clips could not be transcribed: ${health.why() ?? ""}; run again to retry`
    })
  return hearings
})
