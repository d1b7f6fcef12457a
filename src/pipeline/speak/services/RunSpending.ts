/**
 * Prices and spending of one run, from three sources: what tasks report, the configured price and, under a limit, the
 * account's balance.
 */
import { Context, Duration, Effect, HashMap, Layer, Option, type Scope } from "effect"
import type { Casting } from "../../../domain/speech/Casting.ts"
import type { Utterance } from "../../../domain/speech/Utterance.ts"
import type { UtteranceKey } from "../../../domain/values/Ids.ts"
import { Gateway } from "../../../gateway/Gateway.ts"
import { Estimates, modelOf } from "../../../store/tables/Estimates.ts"
import * as Ledger from "../Ledger.ts"
import { SpeakConfig } from "../SpeakSettings.ts"
import { SpeakCounters } from "./SpeakCounters.ts"
import { StopSignal } from "./StopSignal.ts"

/** A create whose response was lost. */
export interface Loss {
  /** Milliseconds since 1970. */
  readonly at: number
  /** What was answered, or happened to the connection. */
  readonly words: string
}

/** The fields of an utterance that determine its price. */
type Priced = Pick<Utterance, "key" | "casting" | "characters">

/** The spending of one run; in a fleet's worker, of one utterance. */
export class RunSpending extends Context.Tag("pipeline/RunSpending")<
  RunSpending,
  {
    /** Whether there is a limit. */
    readonly isLimited: boolean
    /** Creates without a usable response, by the time of their loss in milliseconds since 1970. */
    readonly unanswered: Map<UtteranceKey, Loss>
    /** Credits per character, configured or learned; the last task's price if that was higher. */
    readonly price: (casting: Casting) => number | undefined
    /**
     * Runs work that may pay for an utterance. Under a limit, the first task of a model runs alone until its price is
     * learned or the account's balance confirms the configured one.
     */
    readonly pricing: <A, E, R>(utterance: Utterance, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /**
     * Holds the cost of a create, instead of what is held for its utterance. If that would exceed the limit, stops
     * creates and returns false.
     */
    readonly reserve: (utterance: Priced) => Effect.Effect<boolean>
    /**
     * Holds the cost of a new take, whose create may then be sent even after the run has stopped at its limit. If that
     * would exceed the limit, returns false; creates go on.
     */
    readonly hold: (utterance: Priced) => boolean
    /** Holds the cost of a create that an earlier run may have sent, even beyond the limit. */
    readonly expect: (utterance: Priced) => void
    /** Whether a cost is held for an utterance. */
    readonly isHeld: (key: UtteranceKey) => boolean
    /** Ends the hold of an utterance: its create cost nothing. */
    readonly release: (key: UtteranceKey) => void
    /**
     * Books a task, after it was counted; `credits` is its cost as the service reports it. Returns its cost, from its
     * price if it was not reported.
     */
    readonly pay: (utterance: Priced, credits: number | undefined) => Effect.Effect<number | undefined>
    /** Books a task of an earlier run that had not been counted. */
    readonly adopt: (utterance: Priced, credits: number | undefined) => void
    /** Whether all that is spent and held, and this cost, is within the limit. */
    readonly fits: (cost?: number) => boolean
    /** Stops creates if what is spent and held exceeds the limit. */
    readonly check: Effect.Effect<void>
    /** Credits that this run spent; undefined if the cost of any task is unknown. */
    readonly total: () => number | undefined
  }
>() {
  static readonly layer = Layer.suspend(() => Layer.scoped(RunSpending, makeSpending))
}

/** What the parts of a run's spending share. */
interface Book {
  ledger: Ledger.Ledger
  /** Balance at the start of the run, raised when credits are added to the account; undefined if it is unknown. */
  opening: number | undefined
  /** Whether a price is being learned; amounts counted until then will be corrected. */
  isLearning: boolean
  /** How the account contradicted a configured price, as a message. */
  contradiction: string | undefined
}

/** Timeout for reading the balance if the run does not depend on it. */
const balanceWithin = Duration.seconds(5)

/** Timeout for reading the balance if it is the only source of a price. */
const priceWithin = Duration.seconds(30)

/** Reads the account's balance; undefined if the service does not tell it in time. */
const balanceIn = (within: Duration.Duration) =>
  Effect.flatMap(Gateway, ({ balance }) => balance).pipe(
    Effect.timeout(within),
    Effect.orElseSucceed(() => undefined)
  )

/** Starts tracking a run's spending, for the lifetime of the scope. */
const makeSpending = Effect.gen(function* () {
  const settings = yield* SpeakConfig
  const isLimited = settings.maxCredits !== undefined
  const book: Book = {
    ledger: Ledger.openLedger(settings.maxCredits, settings.spentBefore),
    opening: isLimited ? yield* balanceIn(balanceWithin) : undefined,
    isLearning: false,
    contradiction: undefined
  }
  const prices = yield* makePrices
  const { stopIfExceeded, auditLater } = yield* makeAudit(book)
  const pricing = yield* makePricing(book, prices)
  const costOf = ({ casting, characters }: Priced): number => (prices.price(casting) ?? 0) * characters
  const unanswered = new Map<UtteranceKey, Loss>()
  const release = (key: UtteranceKey): void => {
    book.ledger = Ledger.release(book.ledger, key)
  }
  const holdWithin = (utterance: Priced): boolean => {
    const cost = costOf(utterance)
    const isWithin = Ledger.fits(book.ledger, cost)
    if (isWithin) book.ledger = Ledger.hold(book.ledger, utterance.key, cost)
    return isWithin
  }
  return {
    isLimited,
    unanswered,
    price: prices.price,
    pricing,
    reserve: (utterance: Priced) =>
      Effect.suspend(() => {
        release(utterance.key)
        return stopIfExceeded(() => holdWithin(utterance))
      }),
    hold: holdWithin,
    expect: (utterance: Priced) => {
      if (isLimited) book.ledger = Ledger.hold(book.ledger, utterance.key, costOf(utterance))
    },
    isHeld: (key: UtteranceKey) => HashMap.has(book.ledger.holds, key),
    release,
    pay: (utterance: Priced, credits: number | undefined) =>
      Effect.suspend(() => {
        const { casting, characters } = utterance
        const price = prices.price(casting)
        const paid = credits ?? (price === undefined ? undefined : price * characters)
        book.ledger = Ledger.pay(book.ledger, utterance.key, paid)
        const noted = credits === undefined ? Effect.void : prices.charged(casting, characters, credits)
        return Effect.as(Effect.zipRight(noted, auditLater), paid)
      }),
    adopt: (utterance: Priced, credits: number | undefined) => {
      book.ledger = Ledger.adopt(book.ledger, utterance.key, credits ?? costOf(utterance))
    },
    fits: (cost?: number) => Ledger.fits(book.ledger, cost),
    check: stopIfExceeded(() => Ledger.fits(book.ledger)),
    total: () => (unanswered.size > 0 || !book.ledger.isExact ? undefined : book.ledger.spent)
  }
})

/** Credits per character, by model: configured, learned in earlier runs, or learned from this run's tasks. */
const makePrices = Effect.gen(function* () {
  const { profileOf } = yield* SpeakConfig
  const learned = yield* Estimates
  const { warn } = yield* SpeakCounters
  const usualPrice = Ledger.priceLookup(profileOf, learned)
  const lastPrice = new Map<string, number>()
  /** Models whose price a task or the balance has confirmed in this run. */
  const confirmed = new Set<string>()
  const learn = (casting: Casting, characters: number, credits: number): void => {
    learned.paid(casting, characters, credits)
    lastPrice.set(modelOf(casting), credits / characters)
  }
  return {
    confirmed,
    learn,
    /** Whether an earlier run learned the price from tasks. */
    isLearned: (casting: Casting) => learned.price(casting) !== undefined,
    price: (casting: Casting): number | undefined => {
      const [usual, last] = [usualPrice(casting), lastPrice.get(modelOf(casting))]
      return last === undefined ? usual : Math.max(usual ?? last, last)
    },
    /** Records that a task of `characters` characters cost `credits`. */
    charged: (casting: Casting, characters: number, credits: number): Effect.Effect<void> =>
      Effect.suspend(() => {
        confirmed.add(modelOf(casting))
        learn(casting, characters, credits)
        const named = profileOf(casting.provider).creditsPerCharacter
        // A service may round up.
        return named === undefined || credits <= named * characters + 1
          ? Effect.void
          : warn(
              `tasks of ${casting.provider} cost more than the configured price per character (${named}): estimates are too low; correct creditsPerCharacter under providers: in the manifest`
            )
      })
  }
})

/** Learns a model's price from its first task, which runs alone, or else from the drop of the balance. */
const makePricing = (book: Book, prices: Effect.Effect.Success<typeof makePrices>) =>
  Effect.gen(function* () {
    const { maxCredits } = yield* SpeakConfig
    const context = yield* Effect.context<Gateway>()
    const { counts, warn } = yield* SpeakCounters
    const { stop, halted } = yield* StopSignal
    const oneUnpriced = yield* Effect.makeSemaphore(1)

    /** Whether a task of this casting may run alongside others. */
    const isPriced = (casting: Casting): boolean => {
      if (maxCredits === undefined || halted() !== undefined || prices.confirmed.has(modelOf(casting)))
        return true
      // Without a balance, nothing could contradict a configured price. Tasks of an earlier run reported each learned
      // price.
      return prices.price(casting) !== undefined && (book.opening === undefined || prices.isLearned(casting))
    }

    const alone = <A, E, R>({ casting, characters }: Utterance, work: Effect.Effect<A, E, R>) =>
      Effect.gen(function* () {
        const named = prices.price(casting)
        const balance = Effect.provide(balanceIn(named === undefined ? priceWithin : balanceWithin), context)
        const [before, counted, made] = [yield* balance, Ledger.countedIn(book.ledger), counts.created]
        book.isLearning = true
        const result = yield* Effect.ensuring(
          work,
          Effect.sync(() => {
            book.isLearning = false
          })
        )
        if (prices.confirmed.has(modelOf(casting)) || counts.created === made) return result
        const cost = (named ?? 0) * characters
        // Tasks of other models may have been counted in the meantime.
        const others = Ledger.countedIn(book.ledger) - counted - cost
        const after = yield* balance
        const drop = before === undefined || after === undefined ? 0 : before - after - others
        // An account may be charged in whole credits.
        if (drop > (named === undefined ? 0 : cost + 1)) {
          book.ledger = Ledger.correct(book.ledger, drop - cost)
          prices.learn(casting, characters, drop)
          if (named !== undefined) {
            book.contradiction = `the first task of ${casting.provider} cost ${rounded(drop)} credits instead of ${rounded(cost)}; the limit now uses ${rounded(drop / characters)} credits per character; correct providers.${casting.provider}.creditsPerCharacter in the manifest`
            yield* warn(book.contradiction)
          }
        } else if (named === undefined)
          yield* stop({
            reason: "budget",
            words: `the limit of ${maxCredits} credits cannot be enforced, because the service shows no price for ${casting.provider}; set creditsPerCharacter under providers: in the manifest`
          })
        prices.confirmed.add(modelOf(casting))
        return result
      })

    return <A, E, R>(utterance: Utterance, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
      if (isPriced(utterance.casting)) return work
      // A task that waited for the price need not wait for the other task to end.
      const first = Effect.suspend(() =>
        isPriced(utterance.casting) ? Effect.succeedNone : Effect.asSome(alone(utterance, work))
      )
      return Effect.flatMap(
        oneUnpriced.withPermits(1)(first),
        Option.match({ onNone: () => work, onSome: Effect.succeed })
      )
    }
  })

/** Compares what is counted with the account's balance, and stops the run at its limit. */
const makeAudit = (book: Book) =>
  Effect.gen(function* () {
    const settings = yield* SpeakConfig
    const context = yield* Effect.context<Gateway | Scope.Scope>()
    const { counts, warn } = yield* SpeakCounters
    const { stop, halted } = yield* StopSignal
    /** Number of created tasks at which the balance is read next. */
    let due = 1
    let isReading = false
    let isWarned = false
    const oneAudit = yield* Effect.makeSemaphore(1)
    const audit = oneAudit
      .withPermits(1)(
        Effect.gen(function* () {
          // If the balance cannot be read, tries again later and less often.
          due = counts.created * 2
          const balance = yield* balanceIn(balanceWithin)
          if (book.opening === undefined || balance === undefined) return
          // A balance above the one at the start means that credits were added.
          if (balance > book.opening) book.opening = balance + (book.ledger.fall?.account ?? 0)
          book.ledger = Ledger.readFall(book.ledger, book.opening - balance)
          due = counts.created + Ledger.stride(book.ledger, counts.created)
          const { fall } = book.ledger
          // Rounding to whole credits per task does not indicate a wrong price.
          if (isWarned || fall === undefined || fall.account <= fall.counted * 1.05 + counts.created) return
          isWarned = true
          yield* warn(
            `the account's balance fell by ${rounded(fall.account)} credits, but this run counted ${rounded(fall.counted)}; the limit now applies to the balance; check creditsPerCharacter, and whether others use the account`
          )
        })
      )
      .pipe(Effect.provide(context))

    const exhausted = Effect.suspend(() => {
      const { ledger, contradiction } = book
      return stop({
        reason: "budget",
        words:
          ledger.fall === undefined
            ? `${Ledger.limitReached(settings)}${contradiction === undefined ? "" : ` (${contradiction})`}`
            : `the limit of ${settings.maxCredits} credits would be exceeded: the account's balance fell by ${rounded(ledger.fall.account)} credits, but this run counted ${rounded(ledger.fall.counted)}; in-flight tasks will finish. ` +
              "If tasks cost more than the configured price, correct creditsPerCharacter under providers: in the manifest; if others use this account, raise --max-credits"
      })
    })

    return {
      /** Stops creates unless the condition holds, if need be by a new reading of the balance. */
      stopIfExceeded: (isWithin: () => boolean): Effect.Effect<boolean> =>
        Effect.gen(function* () {
          if (isWithin()) return true
          // The last reading may be old.
          if (book.ledger.fall !== undefined && halted() === undefined) {
            yield* audit
            if (isWithin()) return true
          }
          yield* exhausted
          return false
        }),
      /** Reads the account's balance in the background if a reading is due. */
      auditLater: Effect.suspend(() => {
        if (book.opening === undefined || isReading || book.isLearning || halted() !== undefined)
          return Effect.void
        if (counts.created < due) return Effect.void
        isReading = true
        const reading = Effect.gen(function* () {
          yield* audit
          isReading = false
          if (!Ledger.fits(book.ledger)) yield* exhausted
        })
        return Effect.provide(Effect.asVoid(Effect.forkScoped(reading)), context)
      })
    }
  })

/** Formats credits: three significant digits below ten, else whole credits. */
const rounded = (credits: number): string =>
  String(credits < 10 ? Number(credits.toPrecision(3)) : Math.round(credits))
