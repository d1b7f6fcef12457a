/** Accounts take turns at a provider: one with many tasks does not keep the others waiting. */

/** An account with tasks of a provider that wait, and the oldest of them. */
export interface WaitingAccount {
  readonly account: number
  readonly oldest: number
}

/** Which account had its turn at a provider when. */
export class FairQueue {
  private count = 0
  private readonly last = new Map<string, number>()

  /** Whose turn it is: whoever had none yet or had it longest ago, and among those the one that waits longest. */
  next(provider: string, waiting: ReadonlyArray<WaitingAccount>): WaitingAccount | undefined {
    const turn = ({ account }: WaitingAccount) => this.last.get(`${account} ${provider}`) ?? 0
    return [...waiting].sort((one, other) => turn(one) - turn(other) || one.oldest - other.oldest)[0]
  }

  had(provider: string, account: number): void {
    this.last.set(`${account} ${provider}`, ++this.count)
  }
}
