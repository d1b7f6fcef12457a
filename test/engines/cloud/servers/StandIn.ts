/** A strict stand-in for a cloud provider on loopback: it rejects every request that breaks the published contract. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { Deferred, Effect, Schema, type Scope } from "effect"
import type { HttpClient } from "@effect/platform"
import type { Engine, WordTiming } from "../../../../src/engines/Engine.ts"
import type { CloudSettings } from "../../../../src/engines/cloud/shared/CloudSettings.ts"

/** A request as received. */
export interface Call {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** Closes the connection after half of the body. */
  readonly cut?: boolean
  /** Sends the headers and nothing else. */
  readonly hang?: boolean
  /** Removes the speaking voice from the list. */
  readonly vanish?: boolean
}

/** A provider's contract. */
export interface Provider {
  readonly name: string
  /** The environment with its keys. */
  readonly env: Readonly<Record<string, string>>
  readonly make: (
    settings: CloudSettings
  ) => Effect.Effect<Engine, never, HttpClient.HttpClient | Scope.Scope>
  /** Answers as the provider does. Throws if a request breaks the contract. */
  readonly answer: (call: Call, vanished: boolean) => Reply
  readonly isSpeech: (call: Call) => boolean
  /** The ids of the voices that it lists. */
  readonly voices: ReadonlyArray<string>
  /** A voice, the text to speak, and the whole request for it. */
  readonly speech: {
    readonly voice: string
    readonly text: string
    readonly request: { readonly path: string; readonly body: unknown }
    readonly timing: WordTiming
  }
  /** Controls of 9 and 0.01, as the request states them. */
  readonly extremes: { readonly most: unknown; readonly least: unknown; readonly in: (call: Call) => unknown }
  /** A text over its limit. */
  readonly longText: string
  /** Its error responses. */
  readonly refusals: {
    readonly key: Reply
    readonly quota: Reply
    readonly tooLong: Reply
    readonly busy: Reply
    readonly crashed: Reply
    readonly down: Reply
    readonly gone: Reply
    /** Whole JSON, or a whole body, with audio that is cut off. */
    readonly truncated: Reply
  }
}

/** Throws if a request breaks the contract. */
export const must = (holds: boolean, rule: string): void => {
  if (!holds) throw new Error(rule)
}

/** Reads a JSON body whose fields are among those of the contract. */
export const jsonWith = (body: string, fields: ReadonlyArray<string>): Record<string, unknown> => {
  const value = fieldsIn(body)
  const unknown = Object.keys(value).filter((name) => !fields.includes(name))
  must(unknown.length === 0, `unknown fields: ${unknown.join(", ")}`)
  return value
}

/** Reads a JSON object. */
export const fieldsIn = Schema.decodeUnknownSync(
  Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
)

export const json = (value: unknown, status = 200, headers: Reply["headers"] = {}): Reply => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(value)
})

/** A tone as 16-bit samples at 24 kHz. */
export const tone = (ms: number, rate = 24_000): Int16Array =>
  Int16Array.from(
    { length: (ms * rate) / 1000 },
    (_, at) => 8_000 * Math.sin((at * 2 * Math.PI * 440) / rate)
  )

export const bytesOf = (samples: Int16Array): Uint8Array =>
  new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")

/** A running stand-in. */
export interface Running {
  readonly baseUrl: string
  readonly calls: ReadonlyArray<Call>
  /** Requests that broke the contract. */
  readonly broken: ReadonlyArray<string>
  /** Holds answers until this many requests for speech are in flight. The returned function tells the most so far. */
  readonly hold: (requests: number) => () => number
  /** Answers the next requests for speech with these replies, later ones as usual. */
  readonly next: (...replies: ReadonlyArray<Reply>) => void
  /** Succeeds once a request for speech has arrived. */
  readonly reached: Effect.Effect<void>
}

/** Starts the provider's stand-in in the scope. */
export const startStandIn = (provider: Pick<Provider, "answer" | "isSpeech">) =>
  Effect.gen(function* () {
    const calls: Array<Call> = []
    const broken: Array<string> = []
    const queued: Array<Reply> = []
    const reached = yield* Deferred.make<void>()
    let inFlight = 0
    let most = 0
    let held = 0
    let vanished = false
    /** Succeeds when enough requests have arrived, and further ones have had time to arrive. */
    const released = async (): Promise<void> => {
      for (let turns = 0; turns < 20 && server.listening; turns += most < held ? 0 : 1)
        await new Promise(setImmediate)
    }
    const answerTo = (call: Call): Reply => {
      const isSpeech = provider.isSpeech(call)
      try {
        // A queued error replaces the answer, but the request must still follow the contract.
        const usual = provider.answer(call, vanished)
        return (isSpeech ? queued.shift() : undefined) ?? usual
      } catch (cause) {
        broken.push(`${call.method} ${call.path}: ${String(cause)}`)
        return { status: 418, body: "the request breaks the contract" }
      }
    }
    const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
      incoming.setEncoding("utf8")
      let body = ""
      for await (const part of incoming) body += String(part)
      const call: Call = {
        method: incoming.method ?? "",
        path: incoming.url ?? "",
        headers: Object.fromEntries(
          Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])
        ),
        body
      }
      calls.push(call)
      const isSpeech = provider.isSpeech(call)
      if (isSpeech) most = Math.max(most, ++inFlight)
      const { status = 200, headers = {}, body: answer, cut, hang, vanish } = answerTo(call)
      vanished ||= vanish === true
      if (isSpeech) Deferred.unsafeDone(reached, Effect.void)
      const bytes = Buffer.from(answer)
      response.writeHead(status, { "content-length": bytes.length, ...headers })
      if (hang === true) return response.flushHeaders()
      if (cut === true) {
        response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy())
        return
      }
      if (isSpeech) {
        if (held > 0) await released()
        inFlight--
      }
      response.end(bytes)
    }
    const server = yield* Effect.acquireRelease(
      Effect.async<Server>((resume) => {
        const server = createServer((incoming, response) => void handle(incoming, response))
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.async<void>((resume) => {
          server.closeAllConnections()
          server.close(() => resume(Effect.void))
        })
    )
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return {
      baseUrl: `http://127.0.0.1:${port}`,
      calls,
      broken,
      hold: (requests) => {
        held = requests
        return () => most
      },
      next: (...replies) => void queued.push(...replies),
      reached: Deferred.await(reached)
    } satisfies Running
  })
