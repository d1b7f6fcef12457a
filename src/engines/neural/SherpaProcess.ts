/** Client of one process that holds a neural voice: starts it, sends one request at a time, ends it. */
import { type ChildProcess, spawn } from "node:child_process"
import { Data, Effect, Either, Schema } from "effect"
import { giveWay, GivesWay } from "../../system/BackgroundPriority.ts"
import { builtProgram } from "../../system/BuiltProgram.ts"
import { EngineUnavailable } from "../Engine.ts"
import { sherpaAdvice } from "./SherpaPackage.ts"
import {
  HostResponse,
  type HostRequest,
  type ModelConfig,
  type OpenRequest,
  type SpeakRequest
} from "./SherpaProtocol.ts"

/** The process ended or sent an invalid response. Its output is never included, because it may hold the text. */
export class HostFailed extends Data.TaggedError("HostFailed")<{ readonly detail: string }> {}

type Answer = (typeof HostResponse.Type)["response"]

/** A process with a loaded model. */
export interface SherpaProcess {
  readonly ask: (request: SpeakRequest) => Effect.Effect<Answer, HostFailed>
  readonly isAlive: () => boolean
  /** Kills the process; succeeds once it has ended. */
  readonly close: Effect.Effect<void>
}

/** How to start a process. */
export interface ProcessSettings {
  /** The engine's name, for errors. */
  readonly engine: string
  readonly config: ModelConfig
  readonly threads: number
  /** The environment of the process, without keys and other secrets. */
  readonly environment: Readonly<Record<string, string>>
  readonly packages: OpenRequest["packages"]
}

/** Starts a process and loads the model. If interrupted, kills the process. */
export const openProcess = (settings: ProcessSettings): Effect.Effect<SherpaProcess, EngineUnavailable> =>
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
