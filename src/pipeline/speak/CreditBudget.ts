/** Credit limit of one run: credits spent, credits reserved for creates in flight, and credits left to spend. */

import type { Casting } from "../../domain/speech/Casting.ts"
import type { Estimates } from "../../store/tables/Estimates.ts"
import type { SpeakSettings } from "./SpeakSettings.ts"

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

/** A credit limit, checked before each create rather than after it. */
export class CreditBudget {
  private spent = 0
  private aside = 0
  private known = true
  private audit: { readonly account: number; readonly counted: number } | undefined

  /** `most` is the limit in credits, undefined for none; `earlier` is the part of it that earlier runs have spent. */
  constructor(
    private readonly most: number | undefined,
    private earlier = 0
  ) {}

  /** Whether there is a limit. If so, a price must be known before many tasks are created. */
  get isLimited(): boolean {
    return this.most !== undefined
  }

  /** Reserves a cost. Returns false, and reserves nothing, if that would exceed the limit. */
  reserve(cost: number): boolean {
    if (!this.fits(cost)) return false
    this.aside += cost
    return true
  }

  /** Reserves a cost, even beyond the limit. */
  setAside(cost: number): void {
    this.aside += cost
  }

  /** Credits that this run has spent or reserved. */
  get counted(): number {
    return this.spent + this.aside
  }

  /**
   * How far the account's balance fell in this run, and the credits counted by then. Undefined if it fell no faster
   * than counted.
   */
  get fall(): { readonly account: number; readonly counted: number } | undefined {
    return this.audit
  }

  /** Records a reading of the account: the balance is `credits` lower than at the start of the run. */
  fell(credits: number): void {
    const { counted } = this
    this.audit = credits > counted ? { account: credits, counted } : undefined
  }

  /** Corrects the spent credits upwards, and discards the last reading, which refers to the old count. */
  correct(credits: number): void {
    this.spent += credits
    this.audit = undefined
  }

  /** Whether spent and reserved credits, and this cost, are within the limit, measured by the account's balance. */
  fits(cost = 0): boolean {
    return this.most === undefined || this.earlier + this.byAccount(this.counted + cost) <= this.most
  }

  /**
   * Returns after how many more tasks to read the account again, given the number created so far. That is a quarter of
   * the tasks that still fit the limit, at most `created`. Reads grow with the logarithm of the number of tasks.
   */
  stride(created: number): number {
    const used = this.byAccount(this.counted)
    const left = (this.most ?? Infinity) - this.earlier - used
    return used === 0 ? created : Math.max(1, Math.min(created, Math.floor((left * created) / used / 4)))
  }

  /** Converts counted credits to the credits that the account is charged, using the last reading. */
  private byAccount(counted: number): number {
    if (this.audit === undefined) return counted
    const { account, counted: then } = this.audit
    return then === 0 ? account + counted : (account / then) * counted
  }

  /** Releases the reservation of a create that cost nothing. */
  release(cost: number): void {
    this.aside = Math.max(0, this.aside - cost)
  }

  /** Books a create that cost `credits`, undefined if unknown; `reserved` was reserved for it. */
  pay(reserved: number, credits: number | undefined): void {
    this.release(reserved)
    if (credits === undefined) this.known = false
    this.spent += credits ?? reserved
  }

  /** Counts a task of an earlier run that had not been counted. */
  found(credits: number): void {
    this.earlier += credits
  }

  /** Credits that this run spent; undefined if the cost of any task is unknown. */
  total(): number | undefined {
    return this.known ? this.spent : undefined
  }
}
