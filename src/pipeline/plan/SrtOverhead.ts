/** Compares the characters and cost of a plan's SRT input, cue numbers and times included, with plain text. */
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import type { SrtCost } from "../../domain/report/PlanReport.ts"
import { charactersOf, type Utterance } from "../../domain/speech/Utterance.ts"
import { planTexts } from "../../script/utterances/UtterancePlan.ts"
import type { Violation } from "../../script/utterances/UtteranceViolation.ts"
import type { BatchPlan, JobPlan } from "./BatchPlan.ts"

/** A job's utterances under `nativeInput: text`, or why its lines cannot be sent as text. */
export type TextInstead = { readonly utterances: ReadonlyArray<Utterance> } | { readonly fault: string }

/** Plans a job's lines as plain text; undefined if none of them is sent as SRT. */
export const textInstead = (
  { job, lines, uses, script }: JobPlan,
  { profileOf }: BatchPlan["batch"]
): TextInstead | undefined => {
  if (uses.every(({ utterance }) => utterance.input !== "srt")) return undefined
  const { utterances, violations } = planTexts(lines, {
    profileOf,
    unit: job.unit,
    nativeInput: "text",
    timed: script._tag === "Subtitle",
    ...(job.language === undefined ? {} : { language: job.language })
  })
  const [violation] = violations
  return violation === undefined ? { utterances } : { fault: faultOf(violation) }
}

const faultOf = (violation: Violation): string =>
  violation._tag === "TooLittleText"
    ? `${violation.speaker ?? "one voice"} has ${violation.characters} characters, but ${violation.provider} requires at least ${violation.minChars}`
    : violation.message

/**
 * Returns the cost of SRT input in these jobs; an utterance that several jobs use counts once. Undefined if no unsent
 * utterance is SRT. Jobs whose lines cannot be sent as text keep their SRT in the comparison.
 */
export const srtCostOf = (
  jobs: ReadonlyArray<{ readonly plan: JobPlan; readonly instead: TextInstead | undefined }>,
  isUnsent: (utterance: Utterance) => boolean,
  creditsOf: (utterances: ReadonlyArray<Utterance>) => number | undefined
): SrtCost | undefined => {
  const sent = once(jobs.flatMap(({ plan }) => plan.uses.map(({ utterance }) => utterance))).filter(isUnsent)
  const srt = sent.filter(({ input }) => input === "srt")
  if (srt.length === 0) return undefined
  const characters = sum(srt)
  const words = srt.reduce((all, { said }) => said.reduce((some, one) => some + charactersOf(one), all), 0)
  const faults = jobs.flatMap(({ instead }) =>
    instead !== undefined && "fault" in instead ? [instead.fault] : []
  )
  const [fault] = faults
  const text = once(
    jobs.flatMap(({ plan, instead }) =>
      instead !== undefined && "utterances" in instead
        ? instead.utterances
        : plan.uses.map(({ utterance }) => utterance)
    )
  ).filter(isUnsent)
  const credits = creditsOf(text)
  const possible = jobs.some(({ instead }) => instead !== undefined && "utterances" in instead)
  return {
    characters,
    markup: characters - words,
    ...(possible ? { asText: { characters: sum(text), ...(credits === undefined ? {} : { credits }) } } : {}),
    ...(fault === undefined ? {} : { textFault: fault })
  }
}

const once = (utterances: ReadonlyArray<Utterance>): ReadonlyArray<Utterance> => [
  ...new Map<UtteranceKey, Utterance>(utterances.map((utterance) => [utterance.key, utterance])).values()
]

const sum = (utterances: ReadonlyArray<Utterance>): number =>
  utterances.reduce((all, { characters }) => all + characters, 0)
