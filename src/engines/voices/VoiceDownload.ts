/**
 * Downloads a file of known size and digest. An interrupted download leaves its `.part` file, which the next one
 * continues. Any other failure leaves nothing.
 */
import { open, readFile, rm, stat, writeFile } from "node:fs/promises"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "@effect/platform"
import { Data, type Duration, Effect, Option, Schedule, Schema, Stream } from "effect"
import { sha256OfFile } from "../../system/FileHash.ts"
import { diskFault, megabytes, VoiceNotAdded } from "./VoiceFault.ts"

/** A file to download. */
export interface DownloadRequest {
  /** The voice's id, for errors. */
  readonly voice: string
  readonly address: string
  readonly bytes: number
  readonly sha256: string
  /** The path of the incomplete file. */
  readonly part: string
  /** Pause before the next attempt; default 1 s. */
  readonly pause?: Duration.DurationInput | undefined
  /** Called with the number of bytes received so far. */
  readonly progress: (bytes: number) => void
}

/** Attempts to continue after the connection is lost. */
const attempts = 3
/** Without data for this long, the connection counts as lost. */
const silentFor = "60 seconds"

/** The connection was lost. */
class Interrupted extends Data.TaggedError("Interrupted")<{ readonly why: string }> {}

/** Downloads the file to `part`; succeeds once its size and digest are right. */
export const downloadVoice = Effect.fn("VoiceDownload.downloadVoice")(function* (request: DownloadRequest) {
  const { voice, bytes, part } = request
  yield* fetchRest(request).pipe(
    Effect.retry({
      while: ({ _tag }) => _tag === "Interrupted",
      schedule: Schedule.spaced(request.pause ?? "1 second").pipe(
        Schedule.intersect(Schedule.recurs(attempts - 1))
      )
    }),
    Effect.catchTag("Interrupted", ({ why }) =>
      Effect.flatMap(
        sizeOf(part),
        (here) =>
          new VoiceNotAdded({
            voice,
            reason: "network",
            detail: `the download from ${hostOf(request)} stopped at ${megabytes(here)} of ${megabytes(bytes)} (${why}); run the same command again to continue it`
          })
      )
    )
  )
  const found = yield* Effect.tryPromise({
    try: () => sha256OfFile(part),
    catch: (cause) => diskFault(voice, "read the download", cause)
  })
  if (found !== request.sha256) {
    yield* discard(part)
    return yield* new VoiceNotAdded({
      voice,
      reason: "files",
      detail: `the download has the SHA-256 ${found}; expected ${request.sha256}: the file at ${hostOf(request)} was replaced or damaged, and was deleted`
    })
  }
  yield* Effect.promise(() => rm(stampOf(part), { force: true }))
})

/** Fetches the missing part of the file. */
const fetchRest = (request: DownloadRequest) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { voice, address, bytes, part } = request
      const here = yield* sizeOf(part)
      if (here === bytes) return
      const version = here > 0 && here < bytes ? yield* versionOf(request) : undefined
      const client = (yield* HttpClient.HttpClient).pipe(HttpClient.followRedirects(8))
      const response = yield* client
        .execute(
          HttpClientRequest.get(address).pipe(
            HttpClientRequest.setHeaders({
              accept: "*/*",
              "accept-encoding": "identity",
              ...(version === undefined ? {} : { range: `bytes=${here}-`, "if-range": version })
            })
          )
        )
        .pipe(
          Effect.mapError((cause) => new Interrupted({ why: rootWords(cause) })),
          Effect.timeoutFail({
            duration: silentFor,
            onTimeout: () => new Interrupted({ why: "no response" })
          })
        )
      const from = yield* startOf(request, response, here)
      const stamp: Version = {
        address,
        version: response.headers["etag"] ?? response.headers["last-modified"] ?? ""
      }
      yield* Effect.tryPromise({
        try: () => writeFile(stampOf(part), JSON.stringify(stamp)),
        catch: (cause) => diskFault(voice, "write the download", cause)
      })
      yield* received(request, response, from)
    })
  )

/** Returns where the response's body begins in the file. Fails if it is another file, or none. */
const startOf = (
  request: DownloadRequest,
  { status, headers }: HttpClientResponse.HttpClientResponse,
  here: number
): Effect.Effect<number, VoiceNotAdded | Interrupted> => {
  const { voice, bytes, part } = request
  const [, first, total] = /^bytes (\d+)-\d+\/(\d+)$/u.exec(headers["content-range"] ?? "") ?? []
  const isRest = status === 206 && Number(first) === here
  if (!isRest && status !== 200) {
    if (status === 429 || status >= 500 || status === 408)
      return Effect.fail(new Interrupted({ why: `HTTP status ${status}` }))
    // A range that the server does not have: the rest is fetched from the beginning.
    if (status === 416 || status === 206)
      return Effect.zipRight(discard(part), Effect.fail(new Interrupted({ why: `HTTP status ${status}` })))
    return new VoiceNotAdded({
      voice,
      reason: "network",
      detail: `${hostOf(request)} responded with HTTP status ${status}; check ${request.address}, or set DUBWRIGHT_VOICES_MIRROR`
    })
  }
  const size = isRest ? Number(total) : Number(headers["content-length"] ?? bytes)
  if (size === bytes) return Effect.succeed(isRest ? here : 0)
  return Effect.zipRight(
    discard(part),
    new VoiceNotAdded({
      voice,
      reason: "files",
      detail: `the file at ${hostOf(request)} has ${size} bytes; expected ${bytes}: it was replaced, so it was not downloaded`
    })
  )
}

/** Writes the response's body to the file, from a position on. */
const received = (request: DownloadRequest, response: HttpClientResponse.HttpClientResponse, from: number) =>
  Effect.gen(function* () {
    const { voice, bytes, part } = request
    const disk = (cause: unknown) => diskFault(voice, "write the download", cause)
    const file = yield* Effect.acquireRelease(
      Effect.tryPromise({ try: () => open(part, from === 0 ? "w" : "r+"), catch: disk }),
      (handle) => Effect.promise(() => handle.close().catch(() => undefined))
    )
    let at = from
    yield* response.stream.pipe(
      Stream.mapError((cause) => new Interrupted({ why: rootWords(cause) })),
      Stream.timeoutFail(() => new Interrupted({ why: "no data" }), silentFor),
      Stream.runForEach((chunk) =>
        Effect.gen(function* () {
          if (at + chunk.length > bytes) {
            yield* discard(part)
            return yield* new VoiceNotAdded({
              voice,
              reason: "files",
              detail: `the file at ${hostOf(request)} is longer than ${bytes} bytes: it was replaced, so the download was deleted`
            })
          }
          yield* Effect.tryPromise({ try: () => file.write(chunk, 0, chunk.length, at), catch: disk })
          at += chunk.length
          request.progress(at)
        })
      )
    )
    if (at < bytes) return yield* new Interrupted({ why: "the connection was closed" })
  })

const Version = Schema.Struct({ address: Schema.String, version: Schema.String })
type Version = typeof Version.Type

/** The validator of the file, stored with the part; undefined if the download cannot be continued safely. */
const versionOf = ({ part, address }: DownloadRequest): Effect.Effect<string | undefined> =>
  Effect.promise(() => readFile(stampOf(part), "utf8").catch(() => "")).pipe(
    Effect.map((text) => Option.getOrUndefined(Schema.decodeUnknownOption(Schema.parseJson(Version))(text))),
    // A weak validator does not identify bytes.
    Effect.map((found) =>
      found === undefined ||
      found.address !== address ||
      found.version === "" ||
      found.version.startsWith("W/")
        ? undefined
        : found.version
    )
  )

const stampOf = (part: string): string => `${part}.json`

const sizeOf = (file: string): Effect.Effect<number> =>
  Effect.promise(() =>
    stat(file).then(
      ({ size }) => size,
      () => 0
    )
  )

const discard = (part: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    await rm(part, { force: true })
    await rm(stampOf(part), { force: true })
  })

const hostOf = ({ address }: DownloadRequest): string => new URL(address).host

/** Returns the message of an error's root cause. */
const rootWords = (cause: Error): string =>
  cause.cause instanceof Error ? rootWords(cause.cause) : cause.message
