/**
 * Listens to the clips of jobs with `listen`, and speaks clips with wrong words again, one at a time. New takes stay
 * within the allowance for bad takes and the budget. If a take fails or is not better, the earlier clip stays.
 */
import { Effect, Either, Option } from "effect"
import type { ClipHearing } from "../../../domain/speech/Hearing.ts"
import { lineName, type UtteranceUse } from "../../../domain/speech/Utterance.ts"
import { FailureReason } from "../../../domain/task/FailureReason.ts"
import type { UtteranceChange } from "../../../domain/task/UtteranceChange.ts"
import type { UtteranceState } from "../../../domain/task/UtteranceState.ts"
import type { JobId, UtteranceKey } from "../../../domain/values/Ids.ts"
import type { HelperFailed } from "../../../engines/helpers/HelperFailed.ts"
import type { Recogniser } from "../../../engines/recognition/Recogniser.ts"
import { httpClient } from "../../../gateway/transport/HttpTransport.ts"
import type { ExpectedWords } from "../../../script/heard/HeardFaults.ts"
import { ClipFolder } from "../../../store/files/ClipFolder.ts"
import { UtteranceStore } from "../../../store/tables/UtteranceStore.ts"
import { storedAudio, faultCount, faultWords } from "./ClipListener.ts"
import { listenToClips, openRecogniser } from "./ListenStage.ts"
import type { BatchPlan, JobPlan } from "../../plan/BatchPlan.ts"
import { defaultSpeakSettings, mostRerolls } from "../../speak/SpeakSettings.ts"
import { speakSettings, type SpeechOptions } from "../BatchSpeech.ts"
import { bothOf } from "./RetakeRound.ts"
import type { SpokenBatch } from "../RunCompletion.ts"

/** The recogniser's results for the clips of each job that listens. */
export type JobHearings = ReadonlyMap<JobId, NonNullable<JobPlan["hearings"]>>

/** Adds the words that were heard in a job's clips to its plan. */
export const withHearings = (plan: JobPlan, hearings: JobHearings): JobPlan => {
  const heard = hearings.get(plan.job.id)
  return heard === undefined ? plan : { ...plan, hearings: heard }
}

/** Whether every clip of the jobs that listen was heard. */
export const isAllHeard = (hearings: JobHearings): boolean =>
  [...hearings.values()].every((clips) => clips.every(([, hearing]) => !("unheard" in hearing)))

/** Listens to the clips of all jobs that listen; `takes` are retakes of their lines. */
export const listenToBatch = Effect.fn("ListenRound.listenToBatch")(function* <E, R>(
  plan: BatchPlan,
  spoken: SpokenBatch,
  takes: ReadonlyMap<JobId, ReadonlyArray<UtteranceUse>>,
  options: SpeechOptions<E, R>
) {
  const hearings = new Map<JobId, NonNullable<JobPlan["hearings"]>>()
  let total = spoken
  for (const one of plan.jobs) {
    const { listen, id } = one.job
    if (listen === undefined) continue
    const opened = yield* Effect.either(openRecogniser(listen, plan.batch.manifest))
    const expected = expectedClips(one, takes.get(id))
    const store = yield* UtteranceStore
    const clips = yield* store.clips([...expected.keys()])
    const heard = yield* listenToClips(
      opened,
      new Map([...clips].map(([key, { clip }]) => [key, clip])),
      expected,
      id
    )
    if (listen.reroll !== false)
      total = yield* rerolled(plan, total, { opened, expected, heard, takes: takes.get(id) ?? [] }, options)
    hearings.set(
      id,
      [...heard].sort(([a], [b]) => (a < b ? -1 : 1))
    )
  }
  return { hearings, spoken: total }
}, Effect.provide(httpClient))

interface Listening {
  readonly opened: Either.Either<Recogniser, HelperFailed>
  readonly expected: ReadonlyMap<UtteranceKey, ExpectedWords>
  readonly heard: Map<UtteranceKey, ClipHearing>
  readonly takes: ReadonlyArray<UtteranceUse>
}

/** Speaks clips with faults again while the allowance lasts; updates the results for them. */
const rerolled = Effect.fnUntraced(function* <E, R>(
  plan: BatchPlan,
  spoken: SpokenBatch,
  { opened, expected, heard, takes }: Listening,
  options: SpeechOptions<E, R>
) {
  const store = yield* UtteranceStore
  // A retake is already a second take.
  const second = new Set(takes.map(({ utterance }) => utterance.key))
  const faulty = [...heard].filter(([key, hearing]) => faultCount(hearing) > 0 && !second.has(key))
  let total = spoken
  if (faulty.length === 0 || spoken.summary.halt !== undefined) return total
  const rows = yield* store.rows(plan.utterances.map(({ key }) => key))
  const rowOf = new Map(rows.map((row) => [row.utterance.key, row]))
  const used = rows.reduce((sum, row) => sum + row.rerolls, 0)
  let left = Math.max(3, Math.ceil(plan.utterances.length * defaultSpeakSettings.rerolls)) - used
  let isHalted = false
  for (const [key, hearing] of faulty) {
    if (isHalted || left <= 0) break
    const { rerolls: tried = mostRerolls, task } = rowOf.get(key) ?? {}
    const before = (yield* store.clips([key])).get(key)
    if (tried >= mostRerolls || before === undefined || task === undefined) continue
    const bytes = yield* storedAudio(before.clip)
    if (Option.isNone(bytes)) continue
    left--
    const setback = FailureReason.make({
      kind: "bad-audio",
      words: `wrong words were heard: ${faultWords(hearing)}`
    })
    const earlier = { ...before, event: "restore", key, task } as const
    const summary = yield* Effect.gen(function* () {
      yield* store.apply({ event: "lose", key, setback })
      const settings = yield* speakSettings(plan, [key], options)
      const ended = yield* options.executor
        .speak(settings, plan)
        .pipe(Effect.provide(options.service), Effect.either)
      const fresh = (yield* store.clips([key])).get(key)
      const words = expected.get(key)
      const again =
        fresh === undefined || words === undefined
          ? undefined
          : (yield* listenToClips(opened, new Map([[key, fresh.clip]]), new Map([[key, words]]))).get(key)
      const isBetter = again !== undefined && !("unheard" in again) && faultCount(again) < faultCount(hearing)
      if (isBetter) heard.set(key, again)
      else yield* Effect.uninterruptible(restored(earlier, bytes.value, ["planned", "failed", "fetched"]))
      return ended
      // An interrupted run has not compared a new take that it stored: it stays.
    }).pipe(Effect.onError(() => Effect.ignoreLogged(restored(earlier, bytes.value, ["planned", "failed"]))))
    if (Either.isRight(summary)) {
      // A new take that was not spoken does not stop the run: the earlier clip is delivered.
      isHalted = summary.right.halt !== undefined
      total = { ...total, summary: bothOf(total.summary, { ...summary.right, halt: undefined }) }
    } else isHalted = true
  }
  return total
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
