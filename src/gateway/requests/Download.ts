/**
 * Downloads a task's files over http or https, bounded in size and time. The key is sent to the service's own origin
 * only, and nothing is read from networks that only this machine can reach (`AudioPlaces`).
 */
import { Duration, Effect, Redacted, Schedule } from "effect"
import { retryAfterIn } from "../../contract/RetryAfter.ts"
import { keyHeader } from "../../contract/SpeechApi.ts"
import { slowDownFrom } from "../exchange/Refusals.ts"
import {
  InvalidResponse,
  NoAudio,
  Unreachable,
  type CallFault,
  type SlowDown,
  type Vanished
} from "../GatewayErrors.ts"
import { waitAsked, backoff, retries, waitText } from "../pacing/RetrySchedules.ts"
import { isOwn, presentable, ServiceAddress } from "../exchange/ServiceAddress.ts"
import type { DoneTask } from "../exchange/TaskSnapshot.ts"
import {
  HttpTransport,
  type HttpAnswer,
  type HttpSender,
  type SentRequest
} from "../exchange/HttpTransport.ts"
import { isIP } from "node:net"
import {
  guardedLookup,
  hostOf,
  networkPlaceOf,
  placeRefused,
  placesOf,
  systemNames,
  type NetworkPlace
} from "../../system/NetworkPlace.ts"

/** The files of a done task. */
export interface Fetched {
  readonly audio: Uint8Array
  /** The transcript as received, if one was offered and could be fetched. */
  readonly transcript: { readonly format: "json" | "srt"; readonly text: string } | undefined
}

/** Told why a fetch waits, and for how long if the service asked for that. */
export type Stalled = (words: string, wait?: Duration.Duration) => Effect.Effect<void>

type DownloadFault = CallFault | Vanished | NoAudio

const maxRedirects = 5

/** Maximum retries of a file, each with a fresh URL, before the fetch fails for now. */
const maxRetries = 5

/** Maximum retries of a file that stalls. */
const maxStalls = 2

/** Minimum rate of audio, in bytes per second. */
const slowestRate = 2_000

const maxTranscriptBytes = 8 * 1024 * 1024

/**
 * Returns the maximum bytes of audio for a number of characters: about half a second per character as 48 kHz 32-bit
 * stereo, plus a margin.
 */
const maxAudioBytes = (characters: number): number =>
  Math.min(1024 * 1024 * 1024, 16 * 1024 * 1024 + characters * 200_000)

/** Makes the download function of one service. */
export const makeDownload = Effect.gen(function* () {
  const address = yield* ServiceAddress
  const clock = yield* Effect.clock
  const within = Duration.decode(address.audioWithin)
  const late = `the audio did not arrive within ${Duration.format(within)}`
  const stall = Duration.decode(address.stallWithin ?? "30 seconds")
  const slowest = {
    bytes: slowestRate * Duration.toSeconds(stall),
    within: stall,
    words: `the audio stalled: less than 2 kB/s for ${Duration.format(stall)}`
  }
  const places = yield* audioPlaces(address)
  const own = { [keyHeader]: Redacted.value(address.key) }
  const shown = (said: string) => presentable(said, address.key)

  const file = (
    location: string,
    most: number,
    base = address.baseUrl,
    redirects = maxRedirects
  ): Effect.Effect<Uint8Array, DownloadFault> => {
    const data = /^data:[^,]*?(;base64)?,/iu.exec(location)
    if (data !== null) {
      const [start, encoding] = data
      const bytes = Buffer.from(location.slice(start.length), encoding === undefined ? "latin1" : "base64")
      return Effect.succeed(new Uint8Array(bytes))
    }
    if (!URL.canParse(location, base.href))
      return new NoAudio({ reason: "address", words: "its URL is invalid" })
    const url = new URL(location, base)
    if (!/^https?:$/u.test(url.protocol)) {
      const words = `its URL starts with ${shown(url.protocol)} instead of http: or https:`
      return new NoAudio({ reason: "address", words })
    }
    const sent = {
      origin: url.origin,
      path: url.pathname + url.search,
      method: "GET" as const,
      headers: isOwn(address.baseUrl, url) ? own : {},
      body: undefined,
      most,
      tooLong: () => {
        const words = `more than ${Math.round(most / 1e6)} MB, which is too large for its text`
        return new NoAudio({ reason: "too-large", words })
      },
      within,
      late,
      slowest
    }
    return Effect.flatMap(places.send(url, sent), (answer): Effect.Effect<Uint8Array, DownloadFault> => {
      const { status, body } = answer
      if (status >= 200 && status < 300) return Effect.succeed(body)
      const next = status >= 300 && status < 400 ? answer.header("location") : undefined
      if (next === undefined) return refusal(answer, clock.unsafeCurrentTimeMillis())
      if (redirects === 0) return new NoAudio({ reason: "address", words: "too many redirects" })
      return file(next, most, url, redirects - 1)
    })
  }

  const transcriptOf = ({ json, srt }: DoneTask): Effect.Effect<Fetched["transcript"]> =>
    Effect.gen(function* () {
      const location = json ?? srt
      if (location === undefined) return undefined
      const again = backoff.pipe(Schedule.intersect(Schedule.recurs(2)))
      const bytes = yield* Effect.retry(file(location, maxTranscriptBytes), again)
      return {
        format: json === undefined ? "srt" : "json",
        text: Buffer.from(bytes).toString("utf8")
      } as const
      // Without a transcript, parts are separated at their pauses, so a missing transcript does not fail the audio.
    }).pipe(Effect.orElseSucceed(() => undefined))

  /**
   * Fetches a done task. Each retry asks the task for fresh URLs first, by `again`: an unknown task is an error only if
   * it stays unknown. `stalled` is called for each stall and each requested wait.
   *
   * A file that does not finish in time is not retried, and one that stalls repeatedly only twice: other downloads take
   * its place.
   */
  return (
    done: DoneTask,
    characters: number,
    again: Effect.Effect<DoneTask, DownloadFault>,
    stalled: Stalled
  ): Effect.Effect<Fetched, DownloadFault> => {
    let stalls = 0
    let task: Effect.Effect<DoneTask, DownloadFault> = Effect.succeed(done)
    const fetched = Effect.gen(function* () {
      const seen = yield* task
      task = again
      const audio = yield* file(seen.audio, maxAudioBytes(characters))
      const fault = notAudio(audio, shown)
      return fault === undefined ? { audio, transcript: yield* transcriptOf(seen) } : yield* fault
    })
    return fetched.pipe(
      Effect.tapErrorTag("InvalidResponse", ({ words }) => {
        if (words !== slowest.words) return Effect.void
        stalls++
        return stalled(words)
      }),
      Effect.tapErrorTag("SlowDown", (fault) =>
        fault.retryAfter === undefined ? Effect.void : stalled(waitText(fault), waitAsked(fault))
      ),
      Effect.retry(
        retries(maxRetries, (fault: DownloadFault) => {
          if (fault._tag === "InvalidResponse") return fault.words !== late && stalls <= maxStalls
          if (fault._tag === "NoAudio") return fault.reason !== "address" && fault.reason !== "too-large"
          return fault._tag !== "Refused"
        })
      )
    )
  }
})

/** Returns the error for a response without a file. `now` is in milliseconds since 1970. */
const refusal = ({ status, header }: HttpAnswer, now: number): SlowDown | InvalidResponse | NoAudio => {
  const words = `the audio's URL returned HTTP ${status}`
  if (status === 429 || status === 503)
    return slowDownFrom(words, retryAfterIn(header("retry-after") ?? "", now))
  if (status >= 500) return new InvalidResponse({ words })
  return new NoAudio({ reason: "stale", words: `its URL returned HTTP ${status}` })
}

/** Returns why bytes cannot be audio: an empty file, or text. */
const notAudio = (bytes: Uint8Array, shown: (said: string) => string): NoAudio | undefined => {
  if (bytes.length === 0) return new NoAudio({ reason: "empty", words: "an empty file" })
  const start = Buffer.from(bytes.subarray(0, 200)).toString("utf8").trimStart()
  return /^[<{[]/u.test(start) && !/[\u0000-\u0008\u000e-\u001f\ufffd]/u.test(start.slice(0, 100))
    ? new NoAudio({ reason: "text", words: `text instead of audio: ${shown(start.slice(0, 80))}` })
    : undefined
}

/** Returns whether a service at `service` may have its audio at `audio`. One on this machine may use its network. */
const mayHaveAudioAt = (service: ReadonlySet<NetworkPlace>, audio: NetworkPlace): boolean =>
  audio === "public" || service.has(audio) || (audio === "private" && service.has("loopback"))

/**
 * Makes the sender of audio requests. The service's own origin is always allowed. Other connections are made only to
 * addresses that were checked, also those to other ports of the service's host: its owner can give the name another
 * address, such as one on this machine.
 */
export const audioPlaces = Effect.fnUntraced(function* (address: ServiceAddress["Type"]) {
  const transport = yield* HttpTransport
  const { baseUrl, key, resolve = systemNames } = address
  const refused = (host: string) =>
    new NoAudio({
      reason: "address",
      words: `its URL names ${presentable(host, key)}, a private address outside the service's network; correct the service's public URL`
    })
  /** Where the service is; what connects only to where its audio may be. */
  let known: { readonly places: ReadonlySet<NetworkPlace>; readonly elsewhere: HttpSender } | undefined
  /** Looks up where the service is, until a lookup succeeds. The first result is kept: names can change addresses. */
  const service = Effect.tryPromise({
    try: async () => {
      if (known !== undefined) return known
      const places = await placesOf(hostOf(baseUrl), resolve)
      const isAllowed = (ip: string) => mayHaveAudioAt(places, networkPlaceOf(ip))
      return (known ??= { places, elsewhere: transport.guarded(guardedLookup(resolve, isAllowed)) })
    },
    catch: (error) => new Unreachable({ words: error instanceof Error ? error.message : String(error) })
  })

  const send = <E extends Error>(url: URL, request: SentRequest<E>) =>
    Effect.gen(function* () {
      if (isOwn(baseUrl, url)) return yield* transport.send(request)
      const { places, elsewhere } = yield* service
      const host = hostOf(url)
      if (isIP(host) !== 0 && !mayHaveAudioAt(places, networkPlaceOf(host))) return yield* refused(host)
      return yield* Effect.catchIf(
        elsewhere.send(request),
        (fault) => fault instanceof InvalidResponse && fault.code === placeRefused,
        () => refused(host)
      )
    })
  return { send }
})
