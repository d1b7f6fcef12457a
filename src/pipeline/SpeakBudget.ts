/** The money of one run: what may be spent, what is set aside for creates under way, what was spent. */

/** A limit on credits, kept before each create and not after it. */
export class SpeakBudget {
  private spent = 0
  private aside = 0
  private known = true

  /** `most` is the limit in credits; absent means none. */
  constructor(private readonly most: number | undefined) {}

  /** Sets a cost aside; false, and nothing set aside, where the limit would be passed. */
  reserve(cost: number): boolean {
    if (this.most !== undefined && this.spent + this.aside + cost > this.most) return false
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

  /** Credits spent; undefined where some of it is not known. */
  total(): number | undefined {
    return this.known ? this.spent : undefined
  }
}
