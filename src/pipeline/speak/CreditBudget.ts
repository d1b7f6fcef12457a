/** The money of one run: what may be spent, what is set aside for creates under way, what was spent. */

import type { Casting } from "../../domain/speech/Casting.ts"
import type { Estimates } from "../../store/tables/Estimates.ts"
import type { SpeakSettings } from "./SpeakSettings.ts"

/** Credits for one character: as configured, else as learned; undefined where neither tells. */
export const priceLookup =
  (profileOf: SpeakSettings["profileOf"], learned: Pick<Estimates, "price">) =>
  (casting: Casting): number | undefined =>
    profileOf(casting.provider).creditsPerCharacter ?? learned.price(casting)?.mean

/**
 * The same for what was spent before, of which tasks said nothing: the dearer of the two, so that no limit is passed
 * run by run.
 */
export const dearestBy =
  (profileOf: SpeakSettings["profileOf"], learned: Pick<Estimates, "price">) =>
  (casting: Casting): number =>
    Math.max(profileOf(casting.provider).creditsPerCharacter ?? 0, learned.price(casting)?.mean ?? 0)

/** Why creates are stopped at the limit, in words. */
export const limitReached = ({ maxCredits, spentBefore }: SpeakSettings): string => {
  const before =
    spentBefore === 0 ? "" : ` (${Math.ceil(spentBefore)} were spent before, in runs that were cut short)`
  return `the limit of ${maxCredits} credits is reached${before}; in-flight tasks will finish, raise --max-credits to continue`
}

/** A limit on credits, kept before each create and not after it. */
export class CreditBudget {
  private spent = 0
  private aside = 0
  private known = true
  private audit: { readonly account: number; readonly counted: number } | undefined

  /** `most` is the limit in credits, absent means none; `earlier` is what runs before this one spent of it. */
  constructor(
    private readonly most: number | undefined,
    private earlier = 0
  ) {}

  /** Whether there is a limit: then a price must be known before much is sent. */
  get isLimited(): boolean {
    return this.most !== undefined
  }

  /** Sets a cost aside; false, and nothing set aside, where the limit would be passed. */
  reserve(cost: number): boolean {
    if (this.exceeds(this.counted + cost)) return false
    this.aside += cost
    return true
  }

  /** Credits that this run has spent or set aside. */
  get counted(): number {
    return this.spent + this.aside
  }

  /**
   * How far the account fell in this run, and what was counted by then; undefined where it fell no faster than counted.
   */
  get fall(): { readonly account: number; readonly counted: number } | undefined {
    return this.audit
  }

  /** The account was read: it has so many credits less than when the run began. */
  fell(credits: number): void {
    const { counted } = this
    this.audit = credits > counted ? { account: credits, counted } : undefined
  }

  /** What was counted as spent was this much more; the account's last reading was of what was counted before. */
  correct(credits: number): void {
    this.spent += credits
    this.audit = undefined
  }

  /** Whether what is spent and set aside passes the limit by the account's balance. */
  get isOver(): boolean {
    return this.exceeds(this.counted)
  }

  /**
   * After how many more tasks the account is to be read again, where so many were created: a quarter of those that the
   * limit has room for, at most as many as before. The number of reads grows with the logarithm of the number of tasks.
   */
  stride(created: number): number {
    const used = this.byAccount(this.counted)
    const left = (this.most ?? Infinity) - this.earlier - used
    return used === 0 ? created : Math.max(1, Math.min(created, Math.floor((left * created) / used / 4)))
  }

  private exceeds(counted: number): boolean {
    return this.most !== undefined && this.earlier + this.byAccount(counted) > this.most
  }

  /** Counted credits as the account is charged for them, by its last reading. */
  private byAccount(counted: number): number {
    if (this.audit === undefined) return counted
    const { account, counted: then } = this.audit
    return then === 0 ? account + counted : (account / then) * counted
  }

  /** Gives back what a create set aside and did not cost. */
  release(cost: number): void {
    this.aside = Math.max(0, this.aside - cost)
  }

  /** A create took `credits`, or an unknown number; `reserved` was set aside for it. */
  pay(reserved: number, credits: number | undefined): void {
    this.release(reserved)
    if (credits === undefined) this.known = false
    this.spent += credits ?? reserved
  }

  /** A task of an earlier run was found, which nobody had counted. */
  found(credits: number): void {
    this.earlier += credits
  }

  /** Credits that this run spent; undefined where some of it is not known. */
  total(): number | undefined {
    return this.known ? this.spent : undefined
  }
}
