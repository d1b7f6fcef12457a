/**
 * Downloads a task's files over http or https, bounded in size and time. The key is sent to the service's own origin
 * only, and nothing is read from networks that only this machine can reach (`AudioPlaces`).
 */
import { Duration, Effect, Either, Redacted, Schedule } from "effect"
import { retryAfterIn } from "../../contract/RetryAfter.ts"
import { keyHeader } from "../../contract/SpeechApi.ts"
import { slowDownFrom } from "../response/Refusals.ts"
import { InvalidResponse, type CallFault, NoAudio, type Vanished } from "../GatewayErrors.ts"
import { waitAsked, backoff } from "../pacing/RetrySchedules.ts"
import { isOwn, presentable, ServiceAddress } from "../transport/ServiceAddress.ts"
import type { DoneTask } from "../response/TaskSnapshot.ts"
import { audioPlaces } from "../transport/AudioPlaces.ts"
import type { HttpAnswer, Slowest } from "../transport/HttpTransport.ts"

/** The files of a done task. */
export interface Fetched {
  readonly audio: Uint8Array
  /** The transcript as received, if one was offered and could be fetched. */
  readonly transcript: { readonly format: "json" | "srt"; readonly text: string } | undefined
}

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
    const offered =
      done.json !== undefined
        ? { format: "json" as const, location: done.json }
        : done.srt !== undefined
          ? { format: "srt" as const, location: done.srt }
          : undefined
    if (offered === undefined) return Effect.succeed(noTranscript)
    return file(offered.location, maxTranscriptBytes).pipe(
      Effect.retry(backoff.pipe(Schedule.intersect(Schedule.recurs(2)))),
      Effect.map((bytes) => ({ format: offered.format, text: Buffer.from(bytes).toString("utf8") })),
      // Without a transcript, parts are separated at their pauses, so a missing transcript does not fail the audio.
      Effect.orElseSucceed(() => noTranscript)
    )
  }

  const fetched = (done: DoneTask, characters: number): Effect.Effect<Fetched, DownloadFault> =>
    Effect.flatMap(file(done.audio, mostAudioBytes(characters)), (audio) => {
      const fault = notAudio(audio, (said) => presentable(said, address.key))
      if (fault !== undefined) return Either.left(fault)
      return done.json === undefined && done.srt === undefined
        ? Either.right({ audio, transcript: noTranscript })
        : Effect.map(transcriptOf(done), (transcript): Fetched => ({ audio, transcript }))
    })

  /** Fetches a done task. `again` returns fresh URLs; `stalled` is called for each stall and each requested wait. */
  return (
    done: DoneTask,
    characters: number,
    again: Effect.Effect<DoneTask, CallFault | Vanished | NoAudio>,
    stalled: (words: string) => Effect.Effect<void>
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
        Effect.tapErrorTag("SlowDown", ({ words, retryAfter = 0 }) =>
          retryAfter === 0
            ? Effect.void
            : stalled(
                `${words}; waits ${Math.ceil(retryAfter / 1_000).toLocaleString("en")} s, as the service asks`
              )
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
  const url = urlOf(location, base)
  if (url === undefined) return new NoAudio({ reason: "address", words: "its URL is invalid" })
  return url.protocol === "http:" || url.protocol === "https:"
    ? url
    : new NoAudio({
        reason: "address",
        words: `its URL starts with ${shown(url.protocol)} instead of http: or https:`
      })
}

const urlOf = (location: string, base: URL): URL | undefined => {
  try {
    return new URL(location, base)
  } catch {
    return undefined
  }
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
