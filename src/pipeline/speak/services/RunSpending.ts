/**
 * Prices and spending of one run, from three sources: what tasks report, the configured price and, under a limit, the
 * account's balance.
 */
import { Context, Duration, Effect, Layer, Option } from "effect"
import type { Casting } from "../../../domain/speech/Casting.ts"
import type { Utterance } from "../../../domain/speech/Utterance.ts"
import type { UtteranceKey } from "../../../domain/values/Ids.ts"
import { Gateway } from "../../../gateway/Gateway.ts"
import { Estimates, modelOf } from "../../../store/tables/Estimates.ts"
import { limitReached, priceLookup, CreditBudget } from "../CreditBudget.ts"
import { SpeakConfig } from "../SpeakSettings.ts"
import { SpeakCounters } from "./SpeakCounters.ts"
import { StopSignal } from "./StopSignal.ts"

/** A create whose response was lost. */
interface Loss {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Credits that stay reserved for it. */
  readonly cost: number
}

/** The fields of an utterance that determine its price. */
type Priced = Pick<Utterance, "casting" | "characters">

/** The spending of one run; in a fleet's worker, of one utterance. */
export class RunSpending extends Context.Tag("pipeline/RunSpending")<
  RunSpending,
  {
    /** Whether there is a limit. */
    readonly isLimited: boolean
    /** Creates without a usable response, until it is known whether they made a task. */
    readonly unanswered: Map<UtteranceKey, Loss>
    /** Credits per character, configured or learned; the last task's price if that was higher. */
    readonly price: (casting: Casting) => number | undefined
    /**
     * Runs work that may pay for an utterance. Under a limit, the first task of a model runs alone until its price is
     * learned or the account's balance confirms the configured one.
     */
    readonly pricing: <A, E, R>(utterance: Utterance, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Reserves the cost of a create. If that would exceed the limit, stops creates and returns false. */
    readonly reserve: (cost: number) => Effect.Effect<boolean>
    /**
     * Sets aside the cost of a new take for its create, which may then be sent even after the run has stopped at its
     * limit. If that would exceed the limit, returns false; creates go on.
     */
    readonly hold: (utterance: Utterance) => boolean
    /** Releases the reservation of a create that cost nothing. */
    readonly release: (cost: number) => void
    /**
     * Books a task, after it was counted. `reserved` was reserved for it, and `credits` is its cost as the service
     * reports it. Returns its cost, from its price if it was not reported.
     */
    readonly pay: (
      reserved: number,
      utterance: Priced,
      credits: number | undefined
    ) => Effect.Effect<number | undefined>
    /** Books a task of an earlier run that had not been counted. */
    readonly found: (utterance: Priced, credits: number | undefined) => void
    /** Sets aside the cost of a create that an earlier run may have sent, even beyond the limit. */
    readonly expect: (utterance: Utterance) => void
    /**
     * Releases what was set aside for an utterance: whether it has a task is decided, or about to be. Returns false if
     * nothing was.
     */
    readonly decided: (key: UtteranceKey) => boolean
    /** Whether all that is spent, reserved and set aside, and this cost, is within the limit. */
    readonly fits: (cost?: number) => boolean
    /** Credits that this run spent; undefined if the cost of any task is unknown. */
    readonly total: () => number | undefined
  }
>() {
  static readonly layer = Layer.suspend(() => Layer.scoped(RunSpending, makeSpending))
}

/** Timeout for reading the balance if the run does not depend on it. */
const balanceWithin = Duration.seconds(5)

/** Timeout for reading the balance if it is the only source of a price. */
const priceWithin = Duration.seconds(30)

/** Starts tracking a run's spending, for the lifetime of the scope. */
const makeSpending = Effect.gen(function* () {
  const settings = yield* SpeakConfig
  const gateway = yield* Gateway
  const learned = yield* Estimates
  const { counts, warn } = yield* SpeakCounters
  const { stop, halted } = yield* StopSignal
  const scope = yield* Effect.scope
  const oneUnpriced = yield* Effect.makeSemaphore(1)
  const budget = new CreditBudget(settings.maxCredits, settings.spentBefore)
  const balanceIn = (within: Duration.Duration) =>
    gateway.balance.pipe(
      Effect.timeout(within),
      Effect.option,
      Effect.map(Option.flatMapNullable((credits) => credits))
    )
  /** Balance at the start of the run, raised when credits are added to the account. */
  let opening = budget.isLimited ? yield* balanceIn(balanceWithin) : Option.none<number>()

  const usualPrice = priceLookup(settings.profileOf, learned)
  const lastPrice = new Map<string, number>()
  /** Models whose price a task or the balance has confirmed in this run. */
  const confirmed = new Set<string>()
  const price = (casting: Casting): number | undefined => {
    const [usual, last] = [usualPrice(casting), lastPrice.get(modelOf(casting))]
    return last === undefined ? usual : Math.max(usual ?? last, last)
  }

  const learn = (casting: Casting, characters: number, credits: number): void => {
    learned.paid(casting, characters, credits)
    lastPrice.set(modelOf(casting), credits / characters)
  }

  /** Records that a task of `characters` characters cost `credits`. */
  const charged = (casting: Casting, characters: number, credits: number): Effect.Effect<void> =>
    Effect.suspend(() => {
      confirmed.add(modelOf(casting))
      learn(casting, characters, credits)
      const named = settings.profileOf(casting.provider).creditsPerCharacter
      // A service may round up.
      return named === undefined || credits <= named * characters + 1
        ? Effect.void
        : warn(
            `tasks of ${casting.provider} cost more than the configured price per character (${named}): estimates are too low; correct creditsPerCharacter under providers: in the manifest`
          )
    })

  /** Whether a task of this casting may run alongside others. */
  const isPriced = (casting: Casting): boolean => {
    if (!budget.isLimited || halted() !== undefined || confirmed.has(modelOf(casting))) return true
    // Without a balance, nothing could contradict a configured price. Tasks of an earlier run reported each learned
    // price.
    return price(casting) !== undefined && (Option.isNone(opening) || learned.price(casting) !== undefined)
  }

  /** Whether a price is being learned; amounts counted until then will be corrected. */
  let aloneNow = false
  /** How the account contradicted a configured price, as a message. */
  let contradiction: string | undefined
  /** Runs one task alone to learn the price per character, from the task, or else from the drop of the balance. */
  const alone = <A, E, R>({ casting, characters }: Utterance, work: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const named = price(casting)
      const balance = balanceIn(named === undefined ? priceWithin : balanceWithin)
      const [before, counted, made] = [yield* balance, budget.counted, counts.created]
      aloneNow = true
      const result = yield* Effect.ensuring(
        work,
        Effect.sync(() => {
          aloneNow = false
        })
      )
      if (confirmed.has(modelOf(casting)) || counts.created === made) return result
      const cost = (named ?? 0) * characters
      // Tasks of other models may have been counted in the meantime.
      const others = budget.counted - counted - cost
      const credits = Option.zipWith(before, yield* balance, (had, has) => had - has - others)
      // An account may be charged in whole credits.
      if (Option.exists(credits, (fell) => fell > (named === undefined ? 0 : cost + 1))) {
        const fell = Option.getOrElse(credits, () => 0)
        budget.correct(fell - cost)
        learn(casting, characters, fell)
        if (named !== undefined) {
          contradiction = `the first task of ${casting.provider} cost ${rounded(fell)} credits instead of ${rounded(cost)}; the limit now uses ${rounded(fell / characters)} credits per character; correct providers.${casting.provider}.creditsPerCharacter in the manifest`
          yield* warn(contradiction)
        }
      } else if (named === undefined)
        yield* stop({
          reason: "budget",
          words: `the limit of ${settings.maxCredits} credits cannot be enforced, because the service shows no price for ${casting.provider}; set creditsPerCharacter under providers: in the manifest`
        })
      confirmed.add(modelOf(casting))
      return result
    })

  const exhausted = Effect.suspend(() => {
    const { fall } = budget
    return stop({
      reason: "budget",
      words:
        fall === undefined
          ? `${limitReached(settings)}${contradiction === undefined ? "" : ` (${contradiction})`}`
          : `the limit of ${settings.maxCredits} credits would be exceeded: the account's balance fell by ${rounded(fall.account)} credits, but this run counted ${rounded(fall.counted)}; in-flight tasks will finish. ` +
            "If tasks cost more than the configured price, correct creditsPerCharacter under providers: in the manifest; if others use this account, raise --max-credits"
    })
  })

  /** Number of created tasks at which the balance is read next. */
  let due = 1
  let isReading = false
  const oneAudit = yield* Effect.makeSemaphore(1)
  const audit = oneAudit.withPermits(1)(
    Effect.gen(function* () {
      // If the balance cannot be read, tries again later and less often.
      due = counts.created * 2
      const has = yield* balanceIn(balanceWithin)
      if (Option.isNone(opening) || Option.isNone(has)) return
      // A balance above the one at the start means that credits were added.
      const start = has.value > opening.value ? has.value + (budget.fall?.account ?? 0) : opening.value
      opening = Option.some(start)
      budget.fell(start - has.value)
      due = counts.created + budget.stride(counts.created)
      const { fall } = budget
      // Rounding to whole credits per task does not indicate a wrong price.
      if (fall !== undefined && fall.account > fall.counted * 1.05 + counts.created) yield* warnOnce(fall)
    })
  )
  const reserve = (cost: number) =>
    Effect.gen(function* () {
      if (budget.reserve(cost)) return true
      // The last reading may be old.
      if (budget.fall !== undefined && halted() === undefined) {
        yield* audit
        if (budget.reserve(cost)) return true
      }
      yield* exhausted
      return false
    })
  const inBackground = Effect.gen(function* () {
    yield* audit
    isReading = false
    if (!budget.fits()) yield* exhausted
  })
  /** Reads the account's balance in the background if a reading is due. */
  const audited = Effect.suspend(() => {
    if (Option.isNone(opening) || isReading || aloneNow || halted() !== undefined || counts.created < due)
      return Effect.void
    isReading = true
    return Effect.asVoid(Effect.forkIn(inBackground, scope))
  })
  let isWarned = false
  const warnOnce = ({ account, counted }: NonNullable<CreditBudget["fall"]>) =>
    Effect.suspend(() => {
      if (isWarned) return Effect.void
      isWarned = true
      return warn(
        `the account's balance fell by ${rounded(account)} credits, but this run counted ${rounded(counted)}; the limit now applies to the balance; check creditsPerCharacter, and whether others use the account`
      )
    })

  const unanswered = new Map<UtteranceKey, Loss>()
  const expected = new Map<UtteranceKey, number>()
  const costOf = ({ casting, characters }: Priced): number => (price(casting) ?? 0) * characters
  return {
    isLimited: budget.isLimited,
    unanswered,
    price,
    pricing: <A, E, R>(utterance: Utterance, work: Effect.Effect<A, E, R>) => {
      if (isPriced(utterance.casting)) return work
      // A task that waited for the price need not wait for the other task to end.
      const first = Effect.suspend(() =>
        isPriced(utterance.casting) ? Effect.succeedNone : Effect.asSome(alone(utterance, work))
      )
      return Effect.flatMap(
        oneUnpriced.withPermits(1)(first),
        Option.match({ onNone: () => work, onSome: Effect.succeed })
      )
    },
    reserve,
    hold: (utterance: Utterance) => {
      const cost = costOf(utterance)
      const isHeld = budget.reserve(cost)
      if (isHeld) expected.set(utterance.key, cost)
      return isHeld
    },
    release: (cost: number) => budget.release(cost),
    pay: (reserved: number, { casting, characters }: Priced, credits: number | undefined) =>
      Effect.suspend(() => {
        const known = price(casting)
        const paid = credits ?? (known === undefined ? undefined : known * characters)
        budget.pay(reserved, paid)
        const noted = credits === undefined ? Effect.void : charged(casting, characters, credits)
        return Effect.as(Effect.zipRight(noted, audited), paid)
      }),
    found: (task: Priced, credits: number | undefined) => budget.found(credits ?? costOf(task)),
    expect: (utterance: Utterance) => {
      if (!budget.isLimited || expected.has(utterance.key)) return
      const cost = costOf(utterance)
      expected.set(utterance.key, cost)
      budget.setAside(cost)
    },
    decided: (key: UtteranceKey) => {
      budget.release(expected.get(key) ?? 0)
      return expected.delete(key)
    },
    fits: (cost?: number) => budget.fits(cost),
    total: () => (unanswered.size > 0 ? undefined : budget.total())
  }
})

/** Formats credits: three significant digits below ten, else whole credits. */
const rounded = (credits: number): string =>
  String(credits < 10 ? Number(credits.toPrecision(3)) : Math.round(credits))
