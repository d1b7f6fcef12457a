/** Round-robin among accounts per provider, so that an account with many tasks does not delay the others. */

/** An account with queued tasks of a provider, and the row id of the oldest. */
export interface WaitingAccount {
  readonly account: number
  readonly oldest: number
}

/** Remembers the order of the accounts' last turns, per provider. */
export class FairQueue {
  private count = 0
  private readonly last = new Map<string, number>()

  /** Returns the account that has waited longest for a turn. Ties go to the account with the oldest task. */
  next(provider: string, waiting: ReadonlyArray<WaitingAccount>): WaitingAccount | undefined {
    const turn = ({ account }: WaitingAccount) => this.last.get(`${account} ${provider}`) ?? 0
    return [...waiting].sort((one, other) => turn(one) - turn(other) || one.oldest - other.oldest)[0]
  }

  had(provider: string, account: number): void {
    this.last.set(`${account} ${provider}`, ++this.count)
  }
}
