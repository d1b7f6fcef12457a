/**
 * Listens to the clips of a job with `listen`, and speaks clips with wrong words again, one at a time. New takes stay
 * within the allowance for bad takes and the budget. If a take fails or is not better, the earlier clip stays. A
 * recogniser that fails leaves its clips unheard, with one warning; it never fails the run.
 */
import { dirname, resolve } from "node:path"
import { Config, Effect, Either, Option } from "effect"
import type { Clip } from "../../domain/speech/Clip.ts"
import type { ClipHearing } from "../../domain/speech/Hearing.ts"
import type { ListenSettings } from "../../domain/manifest/ListenSettings.ts"
import { lineName, type UtteranceUse } from "../../domain/speech/Utterance.ts"
import { FailureReason } from "../../domain/task/FailureReason.ts"
import type { UtteranceChange } from "../../domain/task/UtteranceChange.ts"
import type { UtteranceState } from "../../domain/task/UtteranceState.ts"
import type { JobId, UtteranceKey } from "../../domain/values/Ids.ts"
import { HelperFailed } from "../../engines/helpers/HelperFailed.ts"
import { makeHelperHealth } from "../../engines/helpers/HelperHealth.ts"
import { makeCommandRecogniser } from "../../engines/recognition/CommandRecogniser.ts"
import { makeEndpointRecogniser } from "../../engines/recognition/EndpointRecogniser.ts"
import type { Recogniser } from "../../engines/recognition/Recogniser.ts"
import { httpClient } from "../../gateway/exchange/HttpTransport.ts"
import { judgeHearings } from "../../script/heard/ConfirmedFaults.ts"
import { compareHeard, type ExpectedWords, type HeardText } from "../../script/heard/HeardFaults.ts"
import { ClipFolder } from "../../store/files/ClipFolder.ts"
import { keepTranscripts, storedTranscripts, type StoredTranscript } from "../../store/tables/Transcripts.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import type { BatchPlan, JobPlan } from "../plan/BatchPlan.ts"
import { emit, warn } from "../Progress.ts"
import { defaultSpeakSettings, maxRerolls } from "../speak/SpeakSettings.ts"
import type { RunSpeech } from "./BatchSpeech.ts"
import type { RetakenJob } from "./RewriteStep.ts"

/** What the jobs of a run share when they are listened to. */
export const openListening = Effect.fnUntraced(function* ({ batch, utterances }: BatchPlan) {
  const store = yield* UtteranceStore
  return {
    batch,
    /** One job at a time uses a recogniser. */
    turn: yield* Effect.makeSemaphore(1),
    /** New takes that are still allowed, to count down. */
    allowance: yield* Effect.cached(
      Effect.map(store.rows(utterances.map(({ key }) => key)), (rows) => ({
        left:
          Math.max(3, Math.ceil(rows.length * defaultSpeakSettings.rerolls)) -
          rows.reduce((sum, row) => sum + row.rerolls, 0)
      }))
    )
  }
})
export type Listening = Effect.Effect.Success<ReturnType<typeof openListening>>

/** Whether every clip of a job was heard, if it listens. */
export const isAllHeard = ({ hearings = [] }: JobPlan): boolean =>
  hearings.every(([, hearing]) => !("unheard" in hearing))

/** Listens to the clips of a job, and adds what was heard to its plan. */
export const heard = Effect.fn("ListenStep.heard")(function* <E, R>(
  listening: Listening,
  { plan, takes }: RetakenJob,
  speech: RunSpeech<E, R>,
  alone: Alone
) {
  const { listen, id } = plan.job
  if (listen === undefined) return plan
  const { batch, turn } = listening
  const store = yield* UtteranceStore
  const opened = yield* Effect.either(openRecogniser(listen, batch.manifest))
  const expected = expectedClips(plan, takes)
  const clips = yield* store.clips([...expected.keys()])
  const hearings = yield* turn.withPermits(1)(
    listenToClips(opened, new Map([...clips].map(([key, { clip }]) => [key, clip])), expected, id)
  )
  if (listen.reroll !== false)
    yield* rerolled(listening, { plan, takes }, { opened, expected, hearings }, speech, alone)
  return { ...plan, hearings: [...hearings].sort(([a], [b]) => (a < b ? -1 : 1)) }
}, Effect.provide(httpClient))

/** Runs work that replaces a clip, while no other job uses it. */
type Alone = <A, E, R>(
  plan: JobPlan,
  key: UtteranceKey,
  work: Effect.Effect<A, E, R>
) => Effect.Effect<A, E, R>

interface HeardJob {
  readonly opened: Either.Either<Recogniser, HelperFailed>
  readonly expected: ReadonlyMap<UtteranceKey, ExpectedWords>
  readonly hearings: Map<UtteranceKey, ClipHearing>
}

/** Speaks clips with faults again while the allowance lasts; updates the results for them. */
const rerolled = Effect.fnUntraced(function* <E, R>(
  { turn, allowance: allowed }: Listening,
  { plan, takes }: RetakenJob,
  { opened, expected, hearings }: HeardJob,
  { halted, ready, repeat }: RunSpeech<E, R>,
  alone: Alone
) {
  const store = yield* UtteranceStore
  // A retake is already a second take.
  const second = new Set(takes.map(({ utterance }) => utterance.key))
  const faulty = [...hearings].filter(([key, hearing]) => faultCount(hearing) > 0 && !second.has(key))
  if (faulty.length === 0 || halted() !== undefined) return
  const allowance = yield* allowed
  const rows = yield* store.rows(faulty.map(([key]) => key))
  const rowOf = new Map(rows.map((row) => [row.utterance.key, row]))
  for (const [key, hearing] of faulty) {
    if (allowance.left <= 0) break
    const row = rowOf.get(key)
    const before = (yield* store.clips([key])).get(key)
    if (row?.task === undefined || row.rerolls >= maxRerolls || before === undefined) continue
    const bytes = yield* storedAudio(before.clip)
    if (Option.isNone(bytes)) continue
    if (!(yield* ready([row.utterance]))) break
    allowance.left--
    const setback = FailureReason.make({
      kind: "bad-audio",
      words: `wrong words were heard: ${faultWords(hearing)}`
    })
    const earlier = { ...before, event: "restore", key, task: row.task } as const
    const spoken = Effect.gen(function* () {
      yield* store.apply({ event: "lose", key, setback })
      const ended = yield* Effect.either(repeat(plan, row.utterance))
      const fresh = (yield* store.clips([key])).get(key)
      const words = expected.get(key)
      const again =
        fresh === undefined || words === undefined
          ? undefined
          : (yield* turn.withPermits(1)(
              listenToClips(opened, new Map([[key, fresh.clip]]), new Map([[key, words]]))
            )).get(key)
      const isBetter = again !== undefined && !("unheard" in again) && faultCount(again) < faultCount(hearing)
      if (isBetter) hearings.set(key, again)
      else yield* Effect.uninterruptible(restored(earlier, bytes.value, ["planned", "failed", "fetched"]))
      return Either.getOrElse(ended, () => false)
      // An interrupted run has not compared a new take that it stored: it stays.
    }).pipe(Effect.onError(() => Effect.ignoreLogged(restored(earlier, bytes.value, ["planned", "failed"]))))
    const isTried = yield* alone(plan, key, spoken)
    // A new take that was not spoken does not stop the run: the earlier clip is delivered.
    if (!isTried) break
  }
})

/**
 * Restores the earlier clip if the utterance is in one of the states. In no others: the service may still be speaking
 * the new take, which the next run continues.
 */
const restored = Effect.fnUntraced(function* (
  change: Extract<UtteranceChange, { readonly event: "restore" }>,
  wav: Uint8Array,
  from: ReadonlyArray<UtteranceState>
) {
  const { key } = change
  const store = yield* UtteranceStore
  const clips = yield* ClipFolder
  const state = (yield* store.standings([key])).get(key)?.state
  if (state === undefined || !from.includes(state)) return
  yield* clips.keep(key, wav)
  yield* store.apply(change)
})

/** Listens to clips with one recogniser, a few at a time. Returns the result for each. Shows progress for a job. */
const listenToClips = Effect.fn("ListenStep.listenToClips")(function* (
  opened: Either.Either<Recogniser, HelperFailed>,
  clips: ReadonlyMap<UtteranceKey, Clip>,
  expected: ReadonlyMap<UtteranceKey, ExpectedWords>,
  job?: JobId
) {
  const hearings = new Map<UtteranceKey, ClipHearing>()
  const wanted = [...expected].flatMap(([key, words]) => {
    const clip = clips.get(key)
    return clip === undefined ? [] : [{ key, clip, words }]
  })
  const health = makeHelperHealth(opened)
  const showProgress =
    job === undefined
      ? Effect.void
      : Effect.suspend(() => emit({ _tag: "Listening", job, done: hearings.size, total: wanted.length }))
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
    yield* warn(
      `listen: ${unheard} of ${wanted.length} clips could not be transcribed: ${health.why() ?? ""}; run again to retry`
    )
  return hearings
})

/** Opens a job's recogniser; `manifest` is the manifest's path, from whose folder programs are started. */
const openRecogniser = Effect.fn("ListenStep.openRecogniser")(function* (
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

/** How many lines before and after a clip's own count as its neighbours. */
const near = 3

/** Returns the expected words of each clip of a job, by its utterance; `takes` are retakes of its lines. */
const expectedClips = (
  { job, lines, uses, script }: JobPlan,
  takes: ReadonlyArray<UtteranceUse> = []
): ReadonlyMap<UtteranceKey, ExpectedWords> => {
  const positions = new Map(lines.map((line, at) => [lineName(line), at]))
  const texts = new Map(script._tag === "Subtitle" ? script.cues.map(({ index, text }) => [index, text]) : [])
  const expected = new Map<UtteranceKey, ExpectedWords>()
  for (const { utterance, lines: own } of [...uses, ...takes]) {
    if (expected.has(utterance.key)) continue
    const at = own.flatMap((line) => positions.get(lineName(line)) ?? [])
    const [first, last] = [Math.min(...at), Math.max(...at)]
    const neighbours = [
      ...lines.slice(Math.max(0, first - near), first),
      ...lines.slice(last + 1, last + 1 + near)
    ]
    const source = [...new Set(own.map(({ cue }) => cue))].map((cue) => texts.get(cue) ?? "").join(" ")
    expected.set(utterance.key, {
      parts: utterance.said,
      language: job.language,
      neighbours: neighbours.map(({ said }) => said),
      unsaid: unsaidIn(source, utterance.said.join(" "))
    })
  }
  return expected
}

/** The words of a source text that must not be spoken. */
const unsaidIn = (source: string, said: string): string => {
  const spoken = new Set(said.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu))
  return (source.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [])
    .filter((word) => !spoken.has(word.toLowerCase()))
    .join(" ")
}

/**
 * Playback speeds at which a clip is heard in turn. A recogniser that repeats its errors then hears a different sound,
 * so it makes other errors.
 */
const speeds = [1, 0.95, 1.05, 0.9]

/** Listens to a clip. Transcripts of earlier runs are used first, and each new one is stored. */
const listenToClip = Effect.fn("ListenStep.listenToClip")(function* (
  recogniser: Recogniser,
  clip: Clip,
  expected: ExpectedWords
) {
  const texts: Array<StoredTranscript> = [...(yield* storedTranscripts(clip.checksum, recogniser.identity))]
  for (;;) {
    const [first, ...others] = texts
    const judgement = first === undefined ? undefined : judgeHearings(expected, [first, ...others])
    if (judgement?._tag === "Heard") return { parts: judgement.parts } satisfies ClipHearing
    const wav = yield* storedAudio(clip)
    if (Option.isNone(wav))
      return yield* new HelperFailed({ reason: "one", detail: "the clip's file is missing or damaged" })
    const heard = yield* recogniser.hear(
      atSpeed(wav.value, speeds[texts.length % speeds.length] ?? 1),
      first !== undefined && isOtherText(expected, first) ? undefined : expected.language
    )
    texts.push({ text: heard.text, ...(heard.language === undefined ? {} : { language: heard.language }) })
    yield* keepTranscripts(clip.checksum, recogniser.identity, texts)
  }
})

/** Whether a transcript may be in another language. If so, the recogniser is asked to detect the language. */
const isOtherText = (expected: ExpectedWords, text: HeardText): boolean =>
  compareHeard(expected, text).faults.some(({ kind }) => kind === "wrong-line" || kind === "language")

/** Position of the sample rate in the header of a clip's file, and of the bytes per second behind it. */
const rateAt = 24

/** Returns a WAV file that plays faster or slower: its samples are declared to have another rate. */
const atSpeed = (wav: Uint8Array, speed: number): Uint8Array => {
  if (speed === 1) return wav
  const view = new DataView(wav.buffer, wav.byteOffset, wav.byteLength)
  const rate = Math.round(view.getUint32(rateAt, true) * speed)
  view.setUint32(rateAt, rate, true)
  view.setUint32(rateAt + 4, rate * view.getUint16(rateAt + 8, true), true)
  return wav
}

/** Counts the faults in a clip; none if it was not heard. */
const faultCount = (hearing: ClipHearing | undefined): number =>
  hearing === undefined || "unheard" in hearing
    ? 0
    : hearing.parts.reduce((sum, { faults }) => sum + faults.length, 0)

/** Describes the faults of a clip in one line. */
const faultWords = (hearing: ClipHearing): string =>
  "unheard" in hearing
    ? ""
    : hearing.parts
        .flatMap(({ faults }) => faults.map(({ kind, words }) => `${kind} "${words}"`))
        .join(", ")
        .slice(0, 400)

/** Returns a copy of a clip's file; none if the file is missing or damaged. */
const storedAudio = (clip: Clip) =>
  Effect.flatMap(ClipFolder, (clips) =>
    Effect.map(
      clips.reading((reader) => reader.read(clip.key, clip.checksum, (bytes) => Uint8Array.from(bytes))),
      Option.fromNullable
    )
  )
