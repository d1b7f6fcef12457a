/** The dry run: what would be sent and what it would cost; nothing that costs is sent. */
import { Effect } from "effect"
import type { UtteranceKey } from "../domain/Ids.ts"
import type { Utterance } from "../domain/Utterance.ts"
import type { BatchPlan } from "../pipeline/Plan.ts"
import { UtteranceStore } from "../store/UtteranceStore.ts"
import { counted } from "./BoardText.ts"
import { type BatchOptions, planOf } from "./BatchFlags.ts"
import { ffmpeg } from "./Connect.ts"
import { type PriceOf, pricesOf } from "./Prices.ts"
import { Screen } from "./Screen.ts"
import { reading } from "./State.ts"
import { table } from "./Table.ts"

/** One job's row of a dry run, and the batch's. Credits are absent where a price is not known. */
interface Estimate {
  readonly cues: number
  readonly lines: number
  readonly utterances: number
  /** Of those, the ones whose clips are at hand. */
  readonly reused: number
  /** Characters that would be sent. */
  readonly characters: number
  readonly credits: number | undefined
}

export const plan = (options: BatchOptions) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const plan = yield* planOf(options)
    const atHand = yield* spoken(plan)
    const priceOf = yield* pricesOf(plan)
    const jobs = plan.jobs.map(({ job, script, lines, uses }) => ({
      id: job.id,
      input: job.inputName,
      outputs: job.outputs,
      ...estimate(
        priceOf,
        script._tag === "Subtitle" ? script.cues.length : lines.length,
        lines.length,
        uses.map(({ utterance }) => utterance),
        atHand
      )
    }))
    const total = estimate(
      priceOf,
      jobs.reduce((sum, { cues }) => sum + cues, 0),
      jobs.reduce((sum, { lines }) => sum + lines, 0),
      plan.utterances,
      atHand
    )
    const { batch } = plan
    yield* screen.result(
      options.json
        ? JSON.stringify(
            {
              manifest: batch.manifest,
              service: batch.service,
              out: batch.out,
              jobs,
              total,
              notices: plan.notices
            },
            null,
            2
          )
        : [
            table(
              ["job", "cues", "lines", "utterances", "at hand", "characters", "credits"],
              [...jobs.map((job) => [job.id, ...cells(job)]), ["all", ...cells(total)]],
              screen.colour
            ),
            "",
            total.characters === 0
              ? "Nothing would be sent: everything is at hand."
              : `${counted(total.utterances - total.reused, "task")} would be created at ${batch.service === "embedded" ? "the bundled service" : batch.service.baseUrl}.`,
            ...(total.credits === undefined
              ? [
                  "A provider's price is not known: name creditsPerCharacter under providers: in the manifest."
                ]
              : [])
          ].join("\n")
    )
  }).pipe(Effect.provide(ffmpeg))

/** Keys whose clips are there already; none where nothing was run yet. */
const spoken = (plan: BatchPlan) =>
  Effect.gen(function* () {
    const store = yield* UtteranceStore
    return new Set((yield* store.clipSizes(plan.utterances.map(({ key }) => key))).keys())
  }).pipe(
    Effect.provide(reading(plan.batch.state)),
    Effect.catchIf(
      (fault) => fault.reason === "missing",
      () => Effect.succeed(new Set<UtteranceKey>())
    )
  )

const estimate = (
  priceOf: PriceOf,
  cues: number,
  lines: number,
  utterances: ReadonlyArray<Utterance>,
  atHand: ReadonlySet<UtteranceKey>
): Estimate => {
  const all = [...new Map(utterances.map((utterance) => [utterance.key, utterance])).values()]
  const left = all.filter(({ key }) => !atHand.has(key))
  return {
    cues,
    lines,
    utterances: all.length,
    reused: all.length - left.length,
    characters: left.reduce((sum, { characters }) => sum + characters, 0),
    credits: left.reduce<number | undefined>((sum, { casting, characters }) => {
      const price = priceOf(casting)
      return sum === undefined || price === undefined ? undefined : sum + price * characters
    }, 0)
  }
}

const cells = (row: Estimate): ReadonlyArray<number | string> => [
  row.cues,
  row.lines,
  row.utterances,
  row.reused,
  row.characters,
  row.credits === undefined ? "not known" : String(Math.ceil(row.credits))
]
