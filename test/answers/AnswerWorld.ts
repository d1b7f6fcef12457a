/**
 * A speech service whose answers have any shape, and a run against it in simulated time: the real gateway, the real
 * store, and a service that is a function of the request and the clock.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Either, Layer, Redacted } from "effect"
import { type Dialect, type DialectSetting, dialectOf } from "../../src/domain/manifest/ServiceDialect.ts"
import { Casting } from "../../src/domain/speech/Casting.ts"
import { profileOf, ProviderProfile } from "../../src/domain/speech/ProviderProfile.ts"
import { makeUtterance, type Utterance } from "../../src/domain/speech/Utterance.ts"
import { JobId, ProviderId, VoiceId } from "../../src/domain/values/Ids.ts"
import { Ffmpeg } from "../../src/ffmpeg/Ffmpeg.ts"
import { NotAudio } from "../../src/ffmpeg/process/FfmpegErrors.ts"
import { Gateway } from "../../src/gateway/Gateway.ts"
// Loaded before simulated time begins: reading a module takes none.
import "../../src/gateway/GatewayCalls.ts"
import { InvalidResponse, Unreachable } from "../../src/gateway/GatewayErrors.ts"
import { type HttpAnswer, HttpTransport, type SentRequest } from "../../src/gateway/exchange/HttpTransport.ts"
import { ServiceAddress } from "../../src/gateway/exchange/ServiceAddress.ts"
import { Progress } from "../../src/pipeline/Progress.ts"
import { speakUtterances } from "../../src/pipeline/speak/SpeakStage.ts"
import { defaultSpeakSettings } from "../../src/pipeline/speak/SpeakSettings.ts"
import { ClipFolder } from "../../src/store/files/ClipFolder.ts"
import { writableState } from "../../src/store/state/StateDatabase.ts"
import { Estimates } from "../../src/store/tables/Estimates.ts"
import { UtteranceStore } from "../../src/store/tables/UtteranceStore.ts"
import { babble } from "../hostile/Babble.ts"
import { inSimulatedTime, makeSimulatedClock } from "../SimulatedClock.ts"

/** A task that the service made and charged. */
export interface Made {
  readonly id: string
  readonly text: string
  readonly label: string
  readonly voice: string
  readonly madeAt: number
}

/** An answer: a body with status 200, a status with a body, or what happens to the connection. */
export type Reply =
  | { readonly status?: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  | "reset"
  | "refused-connection"

/** How a service answers. Unlisted requests are answered with 404. */
export interface Shape {
  readonly name: string
  readonly dialect?: DialectSetting
  readonly body?: Readonly<Record<string, unknown>>
  /** Answers a create. `task` is made, and charged, by calling `make`. */
  readonly create: (asked: Asked, make: () => Made) => Reply
  readonly look: (task: Made, now: number, looks: number) => Reply
  readonly list: (tasks: ReadonlyArray<Made>, now: number, page?: number) => Reply
  /** Names tasks; default: task-1 and so on. */
  readonly idOf?: (number: number) => string
  /** Default: each task's own speech. */
  readonly fetch?: (task: Made, now: number) => Reply
  readonly path?: (path: string) => string
}

/** A create as the service reads it. */
export interface Asked {
  readonly fields: Readonly<Record<string, unknown>>
  readonly path: string
  readonly attempt: number
  readonly now: number
}

const casting = Casting.make({ provider: ProviderId.make("provider_fast"), voice: VoiceId.make("v1") })

/** Lines to speak, all of other words. */
export const linesOf = (count: number): ReadonlyArray<Utterance> =>
  Array.from({ length: count }, (_, index) => {
    const words = `${sayings[index % sayings.length]}${index < sayings.length ? "" : ` ${"again ".repeat(index)}`}`
    return makeUtterance(casting, "text", words, [words])
  })

const sayings = [
  "The harbour was quiet before the storm.",
  "Nobody answered when she called his name.",
  "We leave at dawn, whatever they decide.",
  "Bring the lantern and follow me closely.",
  "That letter never reached its reader.",
  "Every window in the street was dark."
]

/** The result of a run. */
export interface Ended {
  readonly paid: ReadonlyArray<Made>
  readonly requests: number
  /** Simulated seconds. */
  readonly seconds: number
  readonly states: ReadonlyArray<string>
  readonly reasons: ReadonlyArray<string>
  readonly halt: string | undefined
  /** Creates that the run counts. */
  readonly created: number
  readonly messages: ReadonlyArray<string>
}

export const bytesOf = (body: unknown): Uint8Array =>
  body instanceof Uint8Array ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body))

type Sent = Effect.Effect<HttpAnswer, Unreachable | InvalidResponse>

/** All speech of these services is WAV, which needs no ffmpeg: it finds no sound in anything else. */
export const soundOnly = Layer.mock(Ffmpeg, {
  _tag: "ffmpeg/Ffmpeg",
  binary: { path: "", source: "PATH", version: "" },
  decodeMany: (sources) => Effect.succeed(sources.map(({ path }) => notAudio(path)))
})

const notAudio = (source: string) =>
  Either.left(new NotAudio({ source, reason: "broken", found: "no sound" }))

/** Answers requests in a shape, and keeps the tasks in `made`. */
export const repliesOf = (shape: Shape, made: Array<Made>) => {
  const looks = new Map<string, number>()
  let attempts = 0
  return (
    { method, path, body }: Pick<SentRequest<Error>, "path" | "body"> & { readonly method: string },
    now: number
  ): Reply => {
    const plain = path.replace(/\?.*$/u, "")
    const last = decodeURIComponent(plain.slice(plain.lastIndexOf("/") + 1))
    if (plain.startsWith("/audio/")) {
      const task = made.find(({ id }) => id === last.replace(/\.wav$/u, ""))
      return task === undefined
        ? { status: 404, body: "" }
        : (shape.fetch?.(task, now) ?? { body: babble(task.text) })
    }
    if (method === "POST") {
      const isForm = body?.startsWith("{") !== true
      const fields: Record<string, unknown> = isForm
        ? Object.fromEntries(new URLSearchParams(body))
        : JSON.parse(body ?? "{}")
      const asked = { fields, path: plain, attempt: attempts++, now }
      return shape.create(asked, () => {
        const task = {
          id: shape.idOf?.(made.length + 1) ?? `task-${made.length + 1}`,
          text: String(fields["text"]),
          label: String(fields["voice_name"] ?? ""),
          voice: String(fields["voice_id"] ?? last),
          madeAt: now
        }
        made.push(task)
        return task
      })
    }
    const task = made.find(({ id }) => id === last)
    if (task !== undefined) {
      const count = (looks.get(last) ?? 0) + 1
      looks.set(last, count)
      return shape.look(task, now, count)
    }
    const page = Number(/[?&]page=(\d+)/u.exec(path)?.[1] ?? 1)
    if (/\/(tasks|history)$/u.test(plain))
      return shape.list(page > 1 && shape.list.length < 3 ? [] : made, now, page)
    if (/\/credits$/u.test(plain)) return { body: { credits: 100_000 } }
    if (/\/health-check$/u.test(plain)) return { body: { status: "ok" } }
    return { status: 404, body: { message: "not found" } }
  }
}

/** The gateway to a service that answers each request after 20 ms. */
export const gatewayTo = (
  dialect: Dialect,
  answer: (request: Parameters<ReturnType<typeof repliesOf>>[0]) => Reply
): Layer.Layer<Gateway> =>
  Gateway.Default.pipe(
    Layer.provide(
      Layer.succeed(
        HttpTransport,
        HttpTransport.make({
          guarded: () => ({ send: () => new Unreachable({ words: "elsewhere" }) }),
          send: (request) =>
            Effect.flatMap(Effect.sleep("20 millis"), (): Sent => {
              const reply = answer(request)
              if (reply === "reset") return new InvalidResponse({ words: "reset" })
              if (reply === "refused-connection") return new Unreachable({ words: "refused" })
              const { status = 200, body, headers = {} } = reply
              return Effect.succeed({ status, header: (name: string) => headers[name], body: bytesOf(body) })
            })
        })
      )
    ),
    Layer.provide(
      Layer.succeed(ServiceAddress, {
        baseUrl: new URL("http://127.0.0.1:1"),
        key: Redacted.make("nativeapikey_x"),
        dialect,
        answerWithin: "60 seconds",
        audioWithin: "10 minutes"
      })
    )
  )

/** Speaks lines at a service, in as many runs as `runs`, and returns how it ended. */
export const speakAt = (shape: Shape, { lines = 4, runs = 1, concurrency = 4 } = {}) =>
  Effect.gen(function* () {
    const time = makeSimulatedClock()
    const list = linesOf(lines)
    const made: Array<Made> = []
    const counts = { requests: 0 }
    const messages: Array<string> = []
    const folder = mkdtempSync(join(tmpdir(), "dubwright-"))
    const dialect = dialectOf(shape.dialect, shape.body)
    const replyTo = repliesOf(shape, made)
    const gateway = gatewayTo(dialect, (request) => {
      counts.requests++
      return replyTo(request, time.now())
    })
    const told = Layer.succeed(Progress, {
      emit: (news) =>
        Effect.sync(() => {
          if (news._tag === "Warning") messages.push(news.message)
          if (news._tag === "Retrying") messages.push(news.why)
          if (news._tag === "Stopping") messages.push(news.why)
          if (news._tag === "Failed") messages.push(news.error)
        })
    })
    const world = Layer.mergeAll(
      UtteranceStore.Default,
      ClipFolder.Default,
      Estimates.Default,
      gateway,
      told
    ).pipe(Layer.provideMerge(writableState(folder)), Layer.provideMerge(soundOnly))
    const oneRun = Effect.gen(function* () {
      const store = yield* UtteranceStore
      const keys = list.map(({ key }) => key)
      yield* store.plan("b", [
        {
          job: JobId.make("j"),
          utterances: list.map((utterance, at) => ({ utterance, label: `j #${at + 1}` }))
        }
      ])
      const summary = yield* speakUtterances({
        ...defaultSpeakSettings,
        keys,
        dialect,
        profileOf: (provider) => ProviderProfile.make({ ...profileOf(provider), concurrency })
      })
      const standings = yield* store.standings(keys)
      return {
        halt: summary.halt?.words,
        created: summary.created,
        standings: keys.map((key) => standings.get(key))
      }
    }).pipe(Effect.provide(world))
    let last: Effect.Effect.Success<typeof oneRun> | undefined
    for (let run = 0; run < runs; run++) {
      last = yield* inSimulatedTime(time, oneRun)
    }
    rmSync(folder, { recursive: true })
    const standings = last?.standings ?? []
    return {
      paid: made,
      requests: counts.requests,
      seconds: time.now() / 1000,
      states: standings.map((standing) => standing?.state ?? ""),
      reasons: standings.flatMap((standing) => standing?.setback?.words ?? []),
      halt: last?.halt,
      created: last?.created ?? 0,
      messages
    } satisfies Ended
  })
