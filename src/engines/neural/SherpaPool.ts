/**
 * The processes of a neural engine. Each holds one model and speaks one sentence at a time, with one thread. Two
 * threads need a quarter more processor time for the same speech. Processes start on demand. A process that dies,
 * hangs, is interrupted or grows too large is killed, and the next sentence gets a new one.
 */
import { Clock, Duration, Effect, Exit, Schedule } from "effect"
import { type EngineUnavailable, SpeechFailed } from "../Engine.ts"
import { type HostFailed, openProcess, type ProcessSettings, type SherpaProcess } from "./SherpaProcess.ts"
import type { HostResponse, SpeakRequest } from "./SherpaProtocol.ts"

/** Limits of a pool. */
export interface PoolLimits {
  /** Maximum sentences spoken at once. */
  readonly processes: number
  /** Resident memory in bytes above which a process is replaced. */
  readonly memory: number
  /** Maximum time for one sentence; default 5 minutes. */
  readonly deadline?: Duration.DurationInput
  /** How long a process may be idle before it is ended; default 2 minutes. */
  readonly idle?: Duration.DurationInput
}

/** A model and how to start its processes. */
export interface PooledModel extends ProcessSettings {
  /** Identifies the model. */
  readonly key: string
}

/** Speech of one sentence. */
export type SaidSentence = Extract<(typeof HostResponse.Type)["response"], { readonly _tag: "Said" }>

/** A pool of processes. */
export interface SherpaPool {
  readonly ask: (
    model: PooledModel,
    request: SpeakRequest
  ) => Effect.Effect<SaidSentence, EngineUnavailable | SpeechFailed>
}

/** Maximum number of processes to keep, so that alternating voices are not loaded again for each sentence. */
const mostResident = 4

interface Idle {
  readonly key: string
  readonly host: SherpaProcess
  readonly since: number
}

/** Makes a pool. Its processes end with the scope. */
export const makeSherpaPool = Effect.fnUntraced(function* (engine: string, limits: PoolLimits) {
  const { deadline = "5 minutes", idle = "2 minutes" } = limits
  const slots = yield* Effect.makeSemaphore(limits.processes)
  const resident = Math.max(mostResident, limits.processes)
  let running = 0
  /** Idle processes, the most recently used one last. */
  let free: ReadonlyArray<Idle> = []

  const closeAll = (all: ReadonlyArray<Idle>) =>
    Effect.forEach(
      all,
      ({ host }) =>
        Effect.zipRight(
          host.close,
          Effect.sync(() => void running--)
        ),
      {
        discard: true
      }
    )
  /** Removes idle processes from the list. */
  const removed = (isMeant: (one: Idle) => boolean) => {
    const meant = free.filter(isMeant)
    free = free.filter((one) => !meant.includes(one))
    return meant
  }

  const take = (model: PooledModel) =>
    Effect.gen(function* () {
      yield* closeAll(removed(({ host }) => !host.isAlive()))
      const last = free.findLast(({ key }) => key === model.key)
      if (last !== undefined) {
        free = free.filter((one) => one !== last)
        return last.host
      }
      if (running >= resident) yield* closeAll(removed((one) => one === free[0]))
      running++
      return yield* Effect.onError(openProcess(model), () => Effect.sync(() => void running--))
    })
  const discard = (host: SherpaProcess) =>
    Effect.zipRight(
      host.close,
      Effect.sync(() => void running--)
    )

  yield* Effect.addFinalizer(() => Effect.suspend(() => closeAll(removed(() => true))))
  const closeOld = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    closeAll(removed(({ since }) => now - since >= Duration.toMillis(idle)))
  )
  yield* Effect.forkScoped(Effect.repeat(closeOld, Schedule.spaced(idle)))

  const failed = (reason: "crashed" | "timeout" | "bad-output", detail: string) =>
    new SpeechFailed({ engine, reason, detail })
  const late = () => failed("timeout", `no speech within ${Duration.format(Duration.decode(deadline))}`)
  const crashed = ({ detail }: HostFailed) => failed("crashed", `the process of the voice ${detail}`)

  const ask: SherpaPool["ask"] = (model, request) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(take(model)), (host) =>
        restore(host.ask(request)).pipe(
          Effect.mapError(crashed),
          Effect.timeoutFail({ duration: deadline, onTimeout: late }),
          Effect.onExit((exit) =>
            Exit.isSuccess(exit) && !(exit.value._tag === "Said" && exit.value.memory > limits.memory)
              ? Effect.map(Clock.currentTimeMillis, (since) => {
                  free = [...free, { key: model.key, host, since }]
                })
              : discard(host)
          ),
          Effect.flatMap((answer) =>
            answer._tag === "Said"
              ? Effect.succeed(answer)
              : failed("bad-output", answer._tag === "Declined" ? answer.detail : "an unexpected response")
          )
        )
      )
    ).pipe(slots.withPermits(1))
  return { ask } satisfies SherpaPool
})
