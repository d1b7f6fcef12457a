/**
 * Downloads a task's files over http or https, bounded in size and time. The key is sent to the service's own origin
 * only, and nothing is read from networks that only this machine can reach (`AudioPlaces`).
 */
import { Duration, Effect, Redacted, Schedule } from "effect"
import { retryAfterIn } from "../../contract/RetryAfter.ts"
import { keyHeader } from "../../contract/SpeechApi.ts"
import { slowDownFrom } from "../exchange/Refusals.ts"
import { InvalidResponse, NoAudio, Unreachable, type CallFault, type Vanished } from "../GatewayErrors.ts"
import { waitAsked, backoff, waitText } from "../pacing/RetrySchedules.ts"
import { isOwn, presentable, ServiceAddress } from "../exchange/ServiceAddress.ts"
import type { DoneTask } from "../exchange/TaskSnapshot.ts"
import {
  HttpTransport,
  type HttpAnswer,
  type Slowest,
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

type DownloadFault = CallFault | NoAudio

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
const mostAudioBytes = (characters: number): number =>
  Math.min(1024 * 1024 * 1024, 16 * 1024 * 1024 + characters * 200_000)

/** Makes the download function of one service. */
export const makeDownload = Effect.gen(function* () {
  const address = yield* ServiceAddress
  const clock = yield* Effect.clock
  const within = Duration.decode(address.audioWithin)
  const late = `the audio did not arrive within ${Duration.format(within)}`
  const stall = Duration.decode(address.stallWithin ?? "30 seconds")
  const slowest: Slowest = {
    bytes: slowestRate * Duration.toSeconds(stall),
    within: stall,
    words: `the audio stalled: less than 2 kB/s for ${Duration.format(stall)}`
  }
  const places = yield* audioPlaces(address)
  const own = { [keyHeader]: Redacted.value(address.key) }
  const foreign = {}

  const file = (
    location: string,
    most: number,
    base = address.baseUrl,
    redirects = maxRedirects
  ): Effect.Effect<Uint8Array, DownloadFault> => {
    const data = /^data:[^,]*?(;base64)?,/iu.exec(location)
    if (data !== null)
      return Effect.succeed(
        new Uint8Array(
          Buffer.from(location.slice(data[0].length), data[1] === undefined ? "latin1" : "base64")
        )
      )
    const url = target(location, base, (said) => presentable(said, address.key))
    if (url instanceof NoAudio) return url
    const sent = {
      origin: url.origin,
      path: url.pathname + url.search,
      method: "GET" as const,
      headers: isOwn(address.baseUrl, url) ? own : foreign,
      body: undefined,
      most,
      tooLong: () => tooLarge(most),
      within,
      late,
      slowest
    }
    return Effect.flatMap(places.send(url, sent), (answer): Effect.Effect<Uint8Array, DownloadFault> => {
      const { status, body } = answer
      if (status >= 200 && status < 300) return Effect.succeed(body)
      const next = status >= 300 && status < 400 ? answer.header("location") : undefined
      if (next === undefined) return Effect.fail(refusal(answer, clock.unsafeCurrentTimeMillis()))
      if (redirects === 0) return new NoAudio({ reason: "address", words: "too many redirects" })
      return file(next, most, url, redirects - 1)
    })
  }

  const transcriptOf = (done: DoneTask): Effect.Effect<Fetched["transcript"]> => {
    const location = done.json ?? done.srt
    if (location === undefined) return Effect.succeed(noTranscript)
    const format = done.json === undefined ? "srt" : "json"
    return file(location, maxTranscriptBytes).pipe(
      Effect.retry(backoff.pipe(Schedule.intersect(Schedule.recurs(2)))),
      Effect.map((bytes) => ({ format, text: Buffer.from(bytes).toString("utf8") }) as const),
      // Without a transcript, parts are separated at their pauses, so a missing transcript does not fail the audio.
      Effect.orElseSucceed(() => noTranscript)
    )
  }

  const fetched = (done: DoneTask, characters: number): Effect.Effect<Fetched, DownloadFault> =>
    Effect.flatMap(file(done.audio, mostAudioBytes(characters)), (audio) => {
      const fault = notAudio(audio, (said) => presentable(said, address.key))
      return fault ?? Effect.map(transcriptOf(done), (transcript): Fetched => ({ audio, transcript }))
    })

  /** Fetches a done task. `again` returns fresh URLs; `stalled` is called for each stall and each requested wait. */
  return (
    done: DoneTask,
    characters: number,
    again: Effect.Effect<DoneTask, CallFault | Vanished | NoAudio>,
    stalled: Stalled
  ): Effect.Effect<Fetched, CallFault | Vanished | NoAudio> => {
    let isFresh = true
    return Effect.retry(
      Effect.suspend((): Effect.Effect<Fetched, CallFault | Vanished | NoAudio> => {
        if (!isFresh) return Effect.flatMap(again, (seen) => fetched(seen, characters))
        isFresh = false
        return fetched(done, characters)
      }).pipe(
        Effect.tapErrorTag("InvalidResponse", ({ words }) =>
          words === slowest.words ? stalled(words) : Effect.void
        ),
        Effect.tapErrorTag("SlowDown", (fault) =>
          fault.retryAfter === undefined ? Effect.void : stalled(waitText(fault), waitAsked(fault))
        )
      ),
      afresh(late, slowest.words)
    )
  }
})

const noTranscript: Fetched["transcript"] = undefined

/**
 * Retry schedule of a fetch. Each retry asks the task for a fresh URL first. An unknown task is an error only if it
 * stays unknown.
 *
 * A file that does not finish in time (`late`) is not retried, and one that stalls repeatedly (`stalled`) only twice:
 * other downloads take its place.
 */
const afresh = (late: string, stalled: string) => {
  let stalls = 0
  return backoff.pipe(
    Schedule.passthrough<unknown, CallFault | Vanished | NoAudio, never>,
    Schedule.modifyDelay((fault, delay) =>
      Duration.max(delay, fault._tag === "SlowDown" ? waitAsked(fault) : Duration.zero)
    ),
    Schedule.whileInput(
      (fault: CallFault | Vanished | NoAudio) =>
        fault._tag !== "Refused" &&
        !(fault._tag === "InvalidResponse" && fault.words === late) &&
        !(fault._tag === "InvalidResponse" && fault.words === stalled && ++stalls > maxStalls) &&
        !(fault._tag === "NoAudio" && (fault.reason === "address" || fault.reason === "too-large"))
    ),
    Schedule.intersect(Schedule.recurs(maxRetries))
  )
}

const tooLarge = (most: number) =>
  new NoAudio({
    reason: "too-large",
    words: `more than ${Math.round(most / 1e6)} MB, which is too large for its text`
  })

/** Parses an audio URL; only http and https are allowed. */
const target = (location: string, base: URL, shown: (said: string) => string): URL | NoAudio => {
  if (!URL.canParse(location, base.href))
    return new NoAudio({ reason: "address", words: "its URL is invalid" })
  const url = new URL(location, base)
  if (/^https?:$/u.test(url.protocol)) return url
  const words = `its URL starts with ${shown(url.protocol)} instead of http: or https:`
  return new NoAudio({ reason: "address", words })
}

/** Returns the error for a response without a file. `now` is in milliseconds since 1970. */
const refusal = ({ status, header }: HttpAnswer, now: number): DownloadFault => {
  if (status === 429 || status === 503)
    return slowDownFrom(
      `the audio's URL returned HTTP ${status}`,
      retryAfterIn(header("retry-after") ?? "", now)
    )
  return status >= 500
    ? new InvalidResponse({ words: `the audio's URL returned HTTP ${status}` })
    : new NoAudio({ reason: "stale", words: `its URL returned HTTP ${status}` })
}

/** Returns why bytes cannot be audio: an empty file, or text. */
const notAudio = (bytes: Uint8Array, shown: (said: string) => string): NoAudio | undefined => {
  if (bytes.length === 0) return new NoAudio({ reason: "empty", words: "an empty file" })
  const start = Buffer.from(bytes.subarray(0, 200)).toString("utf8").trimStart()
  return /^[<{[]/u.test(start) && !/[\u0000-\u0008\u000e-\u001f\ufffd]/u.test(start.slice(0, 100))
    ? new NoAudio({ reason: "text", words: `text instead of audio: ${shown(start.slice(0, 80))}` })
    : undefined
}

/** Where a service must be for its audio to be in each place. A service on this machine may use its network. */
const required: Readonly<Record<NetworkPlace, ReadonlyArray<NetworkPlace>>> = {
  public: [],
  private: ["private", "loopback"],
  loopback: ["loopback"],
  "link-local": ["link-local"]
}

/** Returns whether a service at `service` may have its audio at `audio`. */
const mayHaveAudioAt = (service: ReadonlySet<NetworkPlace>, audio: NetworkPlace): boolean =>
  required[audio].length === 0 || required[audio].some((place) => service.has(place))

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
  /** Looks up where the service is, until a lookup succeeds. The first result is kept: names can change addresses. */
  let known: { readonly places: ReadonlySet<NetworkPlace>; readonly elsewhere: HttpSender } | undefined
  const service = Effect.suspend(() =>
    known === undefined
      ? Effect.map(
          Effect.tryPromise({
            try: () => placesOf(hostOf(baseUrl), resolve),
            catch: (error) =>
              new Unreachable({ words: error instanceof Error ? error.message : String(error) })
          }),
          (places) =>
            (known ??= {
              places,
              elsewhere: transport.guarded(
                guardedLookup(resolve, (ip) => mayHaveAudioAt(places, networkPlaceOf(ip)))
              )
            })
        )
      : Effect.succeed(known)
  )

  const send = <E extends Error>(
    url: URL,
    request: SentRequest<E>
  ): Effect.Effect<HttpAnswer, Unreachable | InvalidResponse | NoAudio | E> => {
    if (isOwn(baseUrl, url)) return transport.send(request)
    return Effect.flatMap(service, ({ places, elsewhere }) => {
      const host = hostOf(url)
      if (isIP(host) !== 0 && !mayHaveAudioAt(places, networkPlaceOf(host))) return refused(host)
      return Effect.catchIf(
        elsewhere.send(request),
        (fault) => fault instanceof InvalidResponse && fault.code === placeRefused,
        () => refused(host)
      )
    })
  }
  return { send }
})
