/**
 * The processes of a neural engine. Each holds one model and speaks one sentence at a time, with one thread. Two
 * threads need a quarter more processor time for the same speech. Processes start on demand. A process that dies,
 * hangs, is interrupted or grows too large is killed, and the next sentence gets a new one.
 */
import { Clock, Duration, Effect, Exit, Schedule, Data, Either, Schema } from "effect"
import { spawn, type ChildProcess } from "node:child_process"
import { SpeechFailed, EngineUnavailable } from "../Engine.ts"
import {
  HostResponse,
  type SpeakRequest,
  type HostRequest,
  type ModelConfig,
  type OpenRequest
} from "./SherpaProtocol.ts"
import { giveWay, GivesWay } from "../../system/BackgroundPriority.ts"
import { builtProgram } from "../../system/BuiltProgram.ts"
import { sherpaAdvice } from "./SherpaPackage.ts"

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
const maxResident = 4

interface Idle {
  readonly key: string
  readonly host: SherpaProcess
  readonly since: number
}

/** Makes a pool. Its processes end with the scope. */
export const makeSherpaPool = Effect.fnUntraced(function* (engine: string, limits: PoolLimits) {
  const { deadline = "5 minutes", idle = "2 minutes" } = limits
  const slots = yield* Effect.makeSemaphore(limits.processes)
  const resident = Math.max(maxResident, limits.processes)
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

/** The process ended or sent an invalid response. Its output is never included, because it may hold the text. */
class HostFailed extends Data.TaggedError("HostFailed")<{ readonly detail: string }> {}

type Answer = (typeof HostResponse.Type)["response"]

/** A process with a loaded model. */
interface SherpaProcess {
  readonly ask: (request: SpeakRequest) => Effect.Effect<Answer, HostFailed>
  readonly isAlive: () => boolean
  /** Kills the process; succeeds once it has ended. */
  readonly close: Effect.Effect<void>
}

/** How to start a process. */
interface ProcessSettings {
  /** The engine's name, for errors. */
  readonly engine: string
  readonly config: ModelConfig
  readonly threads: number
  /** The environment of the process, without keys and other secrets. */
  readonly environment: Readonly<Record<string, string>>
  readonly packages: OpenRequest["packages"]
}

/** Starts a process and loads the model. If interrupted, kills the process. */
const openProcess = (settings: ProcessSettings): Effect.Effect<SherpaProcess, EngineUnavailable> =>
  Effect.flatMap(GivesWay, (givesWay) => {
    const unable = (detail: string) => new EngineUnavailable({ engine: settings.engine, detail })
    const program = builtProgram("sherpa-host.mjs")
    if (program === undefined)
      return Effect.fail(unable("its program sherpa-host.mjs is missing; run npm run build"))
    const { packages } = settings
    if (packages.length === 0) return Effect.fail(unable(sherpaAdvice))
    const host = new Host(program, settings.environment, givesWay)
    return host.send({ _tag: "Open", packages, config: settings.config, threads: settings.threads }).pipe(
      Effect.timeoutFail({
        duration: loadsWithin,
        onTimeout: () => new HostFailed({ detail: `did not load the model within ${loadsWithin}` })
      }),
      Effect.mapError(({ detail }) =>
        unable(`the model cannot be loaded: the process ${detail}; check the voice's files`)
      ),
      Effect.filterOrFail(
        (answer) => answer._tag === "Opened",
        (answer) =>
          unable(
            answer._tag === "Declined"
              ? `the model cannot be loaded: ${answer.detail}`
              : "the file sherpa-host.mjs is from another version of dubwright; install dubwright again (in a clone: npm run build)"
          )
      ),
      Effect.as<SherpaProcess>({
        ask: host.send,
        isAlive: () => host.ended === undefined,
        close: host.close
      }),
      Effect.onError(() => host.close)
    )
  })

/** Large models take 15 s on a slow disk. */
const loadsWithin = "3 minutes"

/** A process and its pending request. */
class Host {
  private readonly child: ChildProcess
  private readonly pending = new Map<number, (result: Either.Either<Answer, HostFailed>) => void>()
  private count = 0
  ended: HostFailed | undefined
  private readonly exited: Promise<void>

  constructor(program: string, environment: Readonly<Record<string, string>>, givesWay: boolean) {
    this.child = spawn(process.execPath, [program], {
      env: environment,
      // Its output would contain the text to speak.
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      serialization: "advanced",
      windowsHide: true,
      // An interrupt from the terminal is for the main process, which then ends this one.
      detached: process.platform !== "win32"
    })
    if (givesWay && this.child.pid !== undefined) giveWay(this.child.pid)
    this.child.on("message", (message) => this.settle(message))
    this.exited = new Promise((resolve) => {
      this.child.once("error", (cause) => {
        this.endWith(`could not start: ${cause.message}`)
        if (this.child.pid === undefined) resolve()
      })
      this.child.once("exit", (code, signal) => {
        this.endWith(code === null ? `ended with ${signal ?? "a signal"}` : `ended with code ${code}`)
        resolve()
      })
    })
  }

  readonly send = (request: HostRequest["request"]): Effect.Effect<Answer, HostFailed> =>
    Effect.async((resume) => {
      if (this.ended !== undefined) return resume(Effect.fail(this.ended))
      const id = ++this.count
      this.pending.set(id, resume)
      // It could not start, and its error follows.
      if (this.child.pid === undefined) return
      const message: HostRequest = { id, request }
      this.child.send(message, (cause) => {
        if (cause !== null) this.endWith("stopped listening")
      })
    })

  readonly close: Effect.Effect<void> = Effect.promise(() => {
    this.endWith("was closed")
    this.child.kill("SIGKILL")
    return this.exited
  })

  private settle(message: unknown): void {
    const decoded = decodeResponse(message)
    if (Either.isLeft(decoded)) return this.endWith("sent an invalid response")
    const { id, response } = decoded.right
    this.pending.get(id)?.(Either.right(response))
    this.pending.delete(id)
  }

  private endWith(detail: string): void {
    this.ended ??= new HostFailed({ detail })
    for (const settle of this.pending.values()) settle(Either.left(this.ended))
    this.pending.clear()
  }
}

const decodeResponse = Schema.decodeUnknownEither(HostResponse)
