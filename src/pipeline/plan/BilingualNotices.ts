/**
 * Messages about bilingual subtitles, with the cost of each choice of language. If a subtitle is certainly bilingual,
 * the run sends nothing new for it until the user chooses.
 */
import { Array } from "effect"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import type { Utterance } from "../../domain/speech/Utterance.ts"
import { InputRejected, rejectInput } from "../load/InputRejected.ts"
import type { BatchPlan } from "./BatchPlan.ts"
import type { BilingualPlan } from "./BilingualChoice.ts"
import { knownPrices, costOf } from "./Prices.ts"
import type { PriceOf } from "./SpeechAccess.ts"

/** Adds the notices about bilingual subtitles to a plan, with the prices that its manifest names. */
export const withBilingualNotices = (plan: BatchPlan): BatchPlan => ({
  ...plan,
  notices: [...bilingualNotices(plan, knownPrices(plan)), ...plan.notices]
})

/** Returns a warning for each job that may be bilingual and whose manifest makes no choice. */
export const bilingualNotices = (
  { jobs }: Pick<BatchPlan, "jobs">,
  priceOf: PriceOf
): ReadonlyArray<string> =>
  jobs.flatMap((plan) =>
    plan.bilingual === undefined || plan.bilingual.file.sure
      ? []
      : [`job ${plan.job.id}: ${choiceText(plan.bilingual, priceOf)}`]
  )

/** Rejects jobs that are certainly bilingual, make no choice, and have utterances to send; else undefined. */
export const unchosenLanguages = (
  { jobs }: Pick<BatchPlan, "jobs">,
  unsent: ReadonlyArray<Utterance>,
  priceOf: PriceOf
): InputRejected | undefined => {
  const keys = new Set<UtteranceKey>(unsent.map(({ key }) => key))
  const faults = jobs.flatMap(({ job, uses, bilingual }) =>
    bilingual?.file.sure === true && uses.some(({ utterance }) => keys.has(utterance.key))
      ? rejectInput(job.inputName, `job ${job.id}: ${choiceText(bilingual, priceOf)}`).faults
      : []
  )
  return Array.isNonEmptyReadonlyArray(faults) ? InputRejected.make({ faults }) : undefined
}

const choiceText = ({ file, first, second, all }: BilingualPlan, priceOf: PriceOf): string => {
  const { names, styles } = file
  const one = (which: "first" | "second", utterances: ReadonlyArray<Utterance>) => {
    const style = styles === undefined ? "" : `, style ${styles[which]}`
    return `${which} (${names[which]}${style}: ${costText(utterances, priceOf)})`
  }
  return (
    `${file.both} of ${file.cues} cues are in two languages. Choose the one to speak with ` +
    `text: { bilingual: … } in the manifest, or with --bilingual: ${one("first", first)}, ` +
    `${one("second", second)} or all (both: ${costText(all, priceOf)})`
  )
}

const costText = (utterances: ReadonlyArray<Utterance>, priceOf: PriceOf): string => {
  const each = new Map(utterances.map((utterance) => [utterance.key, utterance]))
  const { characters, credits } = costOf(each.values(), priceOf)
  return credits === undefined
    ? `${grouped(characters)} characters`
    : `${grouped(Math.ceil(credits))} credits`
}

const grouped = (count: number): string => count.toLocaleString("en")
