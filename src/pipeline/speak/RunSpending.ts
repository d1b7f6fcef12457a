/**
 * Prices of one run and its spending: by what tasks say, by the named price, and, under a limit, by the account's
 * balance.
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
  /** Credits for one character, where configured or learned; the last task's where that was dearer. */
  readonly price: (casting: Casting) => number | undefined
  /** A task of so many characters is told to take so many credits. */
  readonly charged: (casting: Casting, characters: number, credits: number) => Effect.Effect<void>
  /**
   * Does what may pay for an utterance. Under a limit, the first task of a model goes alone, until its price is learned
   * or the account's balance confirms the named one.
   */
  readonly pricing: <A, E, R>(utterance: Utterance, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** After a task was counted: reads the account's balance in the background when that is due. */
  readonly audited: Effect.Effect<void>
  /** Sets the cost of a create aside; where the limit would be passed it stops creates, and is false. */
  readonly afforded: (cost: number) => Effect.Effect<boolean>
}

/** The run whose money it is. */
export interface MoneyNeeds {
  readonly settings: SpeakSettings
  readonly gateway: Gateway
  readonly learned: Estimates
  readonly counts: { readonly created: number }
  readonly warn: (message: string) => Effect.Effect<void>
  readonly stop: (halt: Halt) => Effect.Effect<void>
  readonly halted: () => Halt | undefined
}

/** The longest wait for the balance where the run can do without it. */
const balanceWithin = Duration.seconds(5)

/** The same where nothing else tells a price. */
const priceWithin = Duration.seconds(30)

/** Makes the money of a run that lasts as long as the scope. */
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
    /** The balance when the run began; later shifted by credits that were added to the account. */
    let opening = budget.isLimited ? yield* balanceIn(balanceWithin) : Option.none<number>()

    const usualPrice = priceLookup(settings.profileOf, learned)
    const lastPrice = new Map<string, number>()
    /** Models whose price a task or the balance has told in this run. */
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
              `tasks of ${casting.provider} take more than the ${named} a character that the manifest or the service names for it: less is expected to be spent than is`
            )
      })

    /** Whether a task of this casting need not go alone. */
    const isPriced = (casting: Casting): boolean => {
      if (!budget.isLimited || halted() !== undefined || confirmed.has(modelOf(casting))) return true
      // Without a balance nothing could contradict a named price; a learned one was told by tasks of an earlier run.
      return price(casting) !== undefined && (Option.isNone(opening) || learned.price(casting) !== undefined)
    }

    /** Whether the price of a task is being learned: what is counted for it is corrected then. */
    let aloneNow = false
    /** How the account contradicted a named price, in words. */
    let contradiction: string | undefined
    /** Does work alone, and learns what a character costs: by its task, else by how far the balance falls. */
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
        // Tasks of other models may have been counted meanwhile.
        const others = budget.counted - counted - cost
        const credits = Option.zipWith(before, yield* balance, (had, has) => had - has - others)
        // An account may be charged in whole credits.
        if (Option.exists(credits, (fell) => fell > (named === undefined ? 0 : cost + 1))) {
          const fell = Option.getOrElse(credits, () => 0)
          budget.correct(fell - cost)
          learn(casting, characters, fell)
          if (named !== undefined) {
            contradiction = `the account fell by ${rounded(fell)} credits for the first task of ${casting.provider}, which costs ${rounded(cost)} by the named price: the limit counts ${rounded(fell / characters)} credits a character; correct creditsPerCharacter under providers: in the manifest`
            yield* warn(contradiction)
          }
        } else if (named === undefined)
          yield* stop({
            reason: "budget",
            words: `a limit of ${settings.maxCredits} credits cannot be kept: neither the tasks of ${casting.provider} nor the account tell what a character costs; name creditsPerCharacter under providers: in the manifest`
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
            : `the limit of ${settings.maxCredits} credits would be passed by the account's balance: it fell by ${rounded(fall.account)} credits in this run, whose tasks were counted as ${rounded(fall.counted)}; in-flight tasks will finish. ` +
              "If tasks cost more than the named price, correct creditsPerCharacter under providers: in the manifest; if others use this account, raise --max-credits"
      })
    })

    /** Tasks after which the balance is read again. */
    let due = 1
    let isReading = false
    const oneAudit = yield* Effect.makeSemaphore(1)
    const audit = oneAudit.withPermits(1)(
      Effect.gen(function* () {
        // Where the balance cannot be read it is tried again later, and less often.
        due = counts.created * 2
        const has = yield* balanceIn(balanceWithin)
        if (Option.isNone(opening) || Option.isNone(has)) return
        // More than at the beginning: credits were added.
        const start = has.value > opening.value ? has.value + (budget.fall?.account ?? 0) : opening.value
        opening = Option.some(start)
        budget.fell(start - has.value)
        due = counts.created + budget.stride(counts.created)
        const { fall } = budget
        // Whole credits for each task are no sign of anything.
        if (fall !== undefined && fall.account > fall.counted * 1.05 + counts.created) yield* warnOnce(fall)
      })
    )
    const afforded = (cost: number) =>
      Effect.gen(function* () {
        if (budget.reserve(cost)) return true
        // The last reading may be of long ago.
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
          `the account falls faster than this run counts: by ${rounded(account)} credits, where its tasks are counted as ${rounded(counted)}; the limit is kept by the account's balance from here on`
        )
      })

    return {
      budget,
      price,
      charged,
      pricing: (utterance, work) => {
        if (isPriced(utterance.casting)) return work
        // Whoever waited for another's price is not to wait for its task as well.
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

/** Credits as they are shown: whole ones, or three digits of less than ten. */
const rounded = (credits: number): string =>
  String(credits < 10 ? Number(credits.toPrecision(3)) : Math.round(credits))
