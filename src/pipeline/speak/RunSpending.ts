/**
 * Prices and spending of one run, from three sources: what tasks report, the configured price and, under a limit, the
 * account's balance.
 */
import { Duration, Effect, Option, type Scope } from "effect"
import type { Casting } from "../../domain/speech/Casting.ts"
import type { Utterance } from "../../domain/speech/Utterance.ts"
import type { Gateway } from "../../gateway/Gateway.ts"
import { type Estimates, modelOf } from "../../store/tables/Estimates.ts"
import { limitReached, priceLookup, CreditBudget } from "./CreditBudget.ts"
import type { Halt, SpeakSettings } from "./SpeakSettings.ts"

/** Prices and spending of a run. */
export interface SpeakMoney {
  readonly budget: CreditBudget
  /** Credits per character, configured or learned; the last task's price if that was higher. */
  readonly price: (casting: Casting) => number | undefined
  /** Records that a task of `characters` characters cost `credits`. */
  readonly charged: (casting: Casting, characters: number, credits: number) => Effect.Effect<void>
  /**
   * Runs work that may pay for an utterance. Under a limit, the first task of a model runs alone until its price is
   * learned or the account's balance confirms the configured one.
   */
  readonly pricing: <A, E, R>(utterance: Utterance, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Reads the account's balance in the background if a reading is due. Called after each counted task. */
  readonly audited: Effect.Effect<void>
  /** Reserves the cost of a create. If that would exceed the limit, stops creates and returns false. */
  readonly afforded: (cost: number) => Effect.Effect<boolean>
}

/** What `makeMoney` needs from the run. */
export interface MoneyNeeds {
  readonly settings: SpeakSettings
  readonly gateway: Gateway
  readonly learned: Estimates
  readonly counts: { readonly created: number }
  readonly warn: (message: string) => Effect.Effect<void>
  readonly stop: (halt: Halt) => Effect.Effect<void>
  readonly halted: () => Halt | undefined
}

/** Timeout for reading the balance where the run can do without it. */
const balanceWithin = Duration.seconds(5)

/** Timeout for reading the balance where it is the only source of a price. */
const priceWithin = Duration.seconds(30)

/** Starts tracking a run's spending, for the lifetime of the scope. */
export const makeMoney = ({
  settings,
  gateway,
  learned,
  counts,
  warn,
  stop,
  halted
}: MoneyNeeds): Effect.Effect<SpeakMoney, never, Scope.Scope> =>
  Effect.gen(function* () {
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
      // Without a balance, nothing could contradict a configured price. A learned price was reported by an earlier
      // run's tasks.
      return price(casting) !== undefined && (Option.isNone(opening) || learned.price(casting) !== undefined)
    }

    /** Whether a price is being learned; amounts counted until then will be corrected. */
    let aloneNow = false
    /** How the account contradicted a configured price, as a message. */
    let contradiction: string | undefined
    /** Runs work alone and learns the price per character: from its task, else from how far the balance falls. */
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
            words: `the limit of ${settings.maxCredits} credits cannot be enforced: neither the tasks of ${casting.provider} nor the account show the price of a character; set creditsPerCharacter under providers: in the manifest`
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
        // Higher than at the start: credits were added.
        const start = has.value > opening.value ? has.value + (budget.fall?.account ?? 0) : opening.value
        opening = Option.some(start)
        budget.fell(start - has.value)
        due = counts.created + budget.stride(counts.created)
        const { fall } = budget
        // Rounding to whole credits per task is no sign of a wrong price.
        if (fall !== undefined && fall.account > fall.counted * 1.05 + counts.created) yield* warnOnce(fall)
      })
    )
    const afforded = (cost: number) =>
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
      if (budget.isOver) yield* exhausted
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

    return {
      budget,
      price,
      charged,
      pricing: (utterance, work) => {
        if (isPriced(utterance.casting)) return work
        // A task that waited for another's price need not wait for that task as well.
        const first = Effect.suspend(() =>
          isPriced(utterance.casting) ? Effect.succeedNone : Effect.asSome(alone(utterance, work))
        )
        return Effect.flatMap(
          oneUnpriced.withPermits(1)(first),
          Option.match({ onNone: () => work, onSome: Effect.succeed })
        )
      },
      audited: Effect.suspend(() => {
        if (Option.isNone(opening) || isReading || aloneNow || halted() !== undefined || counts.created < due)
          return Effect.void
        isReading = true
        return Effect.asVoid(Effect.forkIn(inBackground, scope))
      }),
      afforded
    }
  })

/** Formats credits: three significant digits below ten, else whole credits. */
const rounded = (credits: number): string =>
  String(credits < 10 ? Number(credits.toPrecision(3)) : Math.round(credits))
