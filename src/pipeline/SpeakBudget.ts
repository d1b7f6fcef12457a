/** The money of one run: what may be spent, what is set aside for creates under way, what was spent. */

import type { Casting } from "../domain/Casting.ts"
import type { Learned } from "../store/Learned.ts"
import type { SpeakSettings } from "./SpeakSettings.ts"

/** Credits for one character: as configured, else as learned; undefined where neither tells. */
export const priceBy =
  (profileOf: SpeakSettings["profileOf"], learned: Pick<Learned, "price">) =>
  (casting: Casting): number | undefined =>
    profileOf(casting.provider).creditsPerCharacter ?? learned.price(casting)?.mean

/** Why creates are stopped at the limit, in words. */
export const limitReached = ({ maxCredits, spentBefore }: SpeakSettings): string => {
  const before =
    spentBefore === 0 ? "" : ` (${Math.ceil(spentBefore)} were spent before, in runs that were cut short)`
  return `the limit of ${maxCredits} credits is reached${before}; what is under way is finished, raise --max-credits to go on`
}

/** A limit on credits, kept before each create and not after it. */
export class SpeakBudget {
  private spent = 0
  private aside = 0
  private known = true

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
    if (this.most !== undefined && this.earlier + this.spent + this.aside + cost > this.most) return false
    this.aside += cost
    return true
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
