/**
 * A pool of threads or processes for engines that would block the process. They start on demand. One that dies, hangs
 * or is interrupted is discarded, and the next request gets a new one.
 */
import { Clock, Duration, Effect, Exit, Schedule } from "effect"
import { type EngineUnavailable, SpeechFailed } from "../Engine.ts"

/** A thread or a process with an engine. */
export interface EngineHost<Request, Answer> {
  /** Sends a request; one at a time. Fails if the host dies. If interrupted, the host keeps working: close it then. */
  readonly ask: (request: Request) => Effect.Effect<Answer, SpeechFailed>
  readonly isAlive: () => boolean
  /** Ends the host, even in the middle of a request. */
  readonly close: Effect.Effect<void>
}

interface PoolOptions<Model, Request, Answer> {
  /** The engine's name, for errors. */
  readonly engine: string
  /** Maximum requests at once. */
  readonly size: number
  /** Maximum hosts, idle ones included. */
  readonly resident: number
  /** Maximum time for a request. */
  readonly deadline: Duration.DurationInput
  /** How long a host may be idle before it is closed to free its memory. */
  readonly idle: Duration.DurationInput
  /** Identifies what a host holds. */
  readonly keyOf: (model: Model) => string
  readonly open: (model: Model) => Effect.Effect<EngineHost<Request, Answer>, EngineUnavailable>
  /** Whether a host must be replaced after an answer. */
  readonly isSpent: (answer: Answer) => boolean
}

/** Makes a pool. Its hosts end with the scope. */
export const makeEnginePool = <Model, Request, Answer>({
  engine,
  deadline,
  idle,
  ...options
}: PoolOptions<Model, Request, Answer>) =>
  Effect.gen(function* () {
    type Host = EngineHost<Request, Answer>
    interface Idle {
      readonly key: string
      readonly host: Host
      readonly since: number
    }
    const slots = yield* Effect.makeSemaphore(options.size)
    let running = 0
    /** Idle hosts. The most recently used one is last and is taken first, so that surplus ones reach the idle limit. */
    let free: ReadonlyArray<Idle> = []

    const ended = Effect.sync(() => void running--)
    const discard = (host: Host) => Effect.zipRight(host.close, ended)
    /** Closes idle hosts. */
    const close = (isMeant: (one: Idle) => boolean) =>
      Effect.suspend(() => {
        const meant = free.filter(isMeant)
        free = free.filter((one) => !meant.includes(one))
        return Effect.forEach(meant, ({ host }) => discard(host), { discard: true })
      })

    const take = (model: Model) =>
      Effect.gen(function* () {
        yield* close(({ host }) => !host.isAlive())
        const last = free.findLast(({ key }) => key === options.keyOf(model))
        if (last !== undefined) {
          free = free.filter((one) => one !== last)
          return last.host
        }
        if (running >= options.resident) yield* close((one) => one === free[0])
        running++
        return yield* Effect.onError(options.open(model), () => ended)
      })

    yield* Effect.addFinalizer(() => close(() => true))
    const closeOld = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      close(({ since }) => now - since >= Duration.toMillis(idle))
    )
    yield* Effect.forkScoped(Effect.repeat(closeOld, Schedule.spaced(idle)))

    const late = () => {
      const detail = `no speech within ${Duration.format(Duration.decode(deadline))}`
      return new SpeechFailed({ engine, reason: "timeout", detail })
    }
    /** Asks the next free host of a model. */
    return (model: Model, request: Request) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(restore(take(model)), (host) =>
          restore(host.ask(request)).pipe(
            Effect.timeoutFail({ duration: deadline, onTimeout: late }),
            Effect.onExit((exit) =>
              Exit.isSuccess(exit) && !options.isSpent(exit.value)
                ? Effect.map(Clock.currentTimeMillis, (since) => {
                    free = [...free, { key: options.keyOf(model), host, since }]
                  })
                : discard(host)
            )
          )
        )
      ).pipe(slots.withPermits(1))
  })
