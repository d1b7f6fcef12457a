/**
 * What a run may spend: a value with pure steps. The cost of a create is held before the create is sent, and is paid or
 * released when its end is known: what is spent and held stays within the limit. Amounts are credits.
 */
import { HashMap, Option } from "effect"
import type { Casting } from "../../domain/speech/Casting.ts"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import type { Estimates } from "../../store/tables/Estimates.ts"
import type { SpeakSettings } from "./SpeakSettings.ts"

export interface Ledger {
  /** The limit; Infinity for none. */
  readonly limit: number
  /** The part of the limit that earlier runs have spent. */
  readonly earlier: number
  readonly spent: number
  /** The sum of `holds`. */
  readonly held: number
  readonly holds: HashMap.HashMap<UtteranceKey, number>
  /** Whether the cost of every paid task is known. */
  readonly isExact: boolean
  /**
   * How far the account's balance fell in this run, and what was spent and held by then; undefined if it fell no faster
   * than that.
   */
  readonly fall: { readonly account: number; readonly counted: number } | undefined
}

/** Opens the ledger of a run with a limit, of which earlier runs have spent a part. */
export const openLedger = (limit = Infinity, earlier = 0): Ledger => ({
  limit,
  earlier,
  spent: 0,
  held: 0,
  holds: HashMap.empty(),
  isExact: true,
  fall: undefined
})

/** Credits that this run has spent or holds. */
export const countedIn = ({ spent, held }: Ledger): number => spent + held

/** Converts counted credits to those that the account is charged, by the last reading of its balance. */
const charged = ({ fall }: Ledger, counted: number): number => {
  if (fall === undefined) return counted
  return fall.counted === 0 ? fall.account + counted : (fall.account / fall.counted) * counted
}

/** Whether all that is spent and held, and this cost, is within the limit, measured by the account's balance. */
export const fits = (ledger: Ledger, cost = 0): boolean =>
  ledger.earlier + charged(ledger, countedIn(ledger) + cost) <= ledger.limit

/** Ends the hold of an utterance, if there is one: its create cost nothing. */
export const release = (ledger: Ledger, key: UtteranceKey): Ledger => {
  const cost = Option.getOrUndefined(HashMap.get(ledger.holds, key))
  if (cost === undefined) return ledger
  const holds = HashMap.remove(ledger.holds, key)
  return { ...ledger, holds, held: HashMap.isEmpty(holds) ? 0 : Math.max(0, ledger.held - cost) }
}

/** Holds the cost of an utterance's create, instead of what is held for it, even beyond the limit. */
export const hold = (ledger: Ledger, key: UtteranceKey, cost: number): Ledger => {
  const before = release(ledger, key)
  return { ...before, holds: HashMap.set(before.holds, key, cost), held: before.held + cost }
}

/**
 * Books a task of an utterance, and ends its hold. A task whose cost is unknown is booked with what was held for it.
 */
export const pay = (ledger: Ledger, key: UtteranceKey, credits: number | undefined): Ledger => {
  const cost = credits ?? Option.getOrElse(HashMap.get(ledger.holds, key), () => 0)
  const rest = release(ledger, key)
  return { ...rest, spent: rest.spent + cost, isExact: rest.isExact && credits !== undefined }
}

/** Books a task of an earlier run that had not been counted. */
export const adopt = (ledger: Ledger, key: UtteranceKey, credits: number): Ledger => {
  const rest = release(ledger, key)
  return { ...rest, earlier: rest.earlier + credits }
}

/** Records a reading of the account: its balance is `account` credits lower than at the start of the run. */
export const readFall = (ledger: Ledger, account: number): Ledger => {
  const counted = countedIn(ledger)
  return { ...ledger, fall: account > counted ? { account, counted } : undefined }
}

/** Corrects the spent credits upwards, and discards the last reading, which refers to the old count. */
export const correct = (ledger: Ledger, credits: number): Ledger => ({
  ...ledger,
  spent: ledger.spent + credits,
  fall: undefined
})

/**
 * Returns after how many more tasks to read the account again, given the number created so far. That is a quarter of
 * the tasks that still fit the limit, at most `created`. Reads grow with the logarithm of the number of tasks.
 */
export const stride = (ledger: Ledger, created: number): number => {
  const used = charged(ledger, countedIn(ledger))
  const left = ledger.limit - ledger.earlier - used
  return used === 0 ? created : Math.max(1, Math.min(created, Math.floor((left * created) / used / 4)))
}

/** Returns credits per character: the configured price, else the learned one, else undefined. */
export const priceLookup =
  (profileOf: SpeakSettings["profileOf"], learned: Pick<Estimates, "price">) =>
  (casting: Casting): number | undefined =>
    profileOf(casting.provider).creditsPerCharacter ?? learned.price(casting)?.mean

/**
 * Returns the higher of the configured and the learned price, 0 if neither is known. Prices the spending of earlier
 * runs whose tasks reported no credits, so that repeated runs cannot exceed the limit.
 */
export const dearestBy =
  (profileOf: SpeakSettings["profileOf"], learned: Pick<Estimates, "price">) =>
  (casting: Casting): number =>
    Math.max(profileOf(casting.provider).creditsPerCharacter ?? 0, learned.price(casting)?.mean ?? 0)

/** The message for a run that stops at its credit limit. */
export const limitReached = ({ maxCredits, spentBefore }: SpeakSettings): string => {
  const before =
    spentBefore === 0 ? "" : ` (${Math.ceil(spentBefore)} spent by earlier runs that did not finish)`
  return `the limit of ${maxCredits} credits is reached${before}; in-flight tasks will finish; raise --max-credits to continue`
}
