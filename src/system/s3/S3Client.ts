/**
 * A client of S3 and of servers with its interface, for the requests that a service and a fleet need. Requests are
 * signed with AWS Signature Version 4: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { Readable } from "node:stream"
import { Agent, type Dispatcher, request } from "@effect/platform-node/Undici"
import { AwsV4Signer } from "aws4fetch"
import { Clock, Effect, Exit, Option, Schedule, type Scope, Stream } from "effect"
import { sha256OfFile } from "../FileHash.ts"
import { failureIn, refusalOf, objectsIn, unescapeXml, readText, S3Failed } from "./S3Responses.ts"

/** Where the objects are, and the keys to reach them. */
export interface S3Settings {
  readonly bucket: string
  /** Without a slash at its ends; may be empty. */
  readonly prefix: string
  readonly region: string
  /** The URL of a server other than Amazon's. */
  readonly endpoint: string | undefined
  readonly keyId: string
  readonly secret: string
  readonly session: string | undefined
}

/** Turns the failure of a request for an object that is missing into none. */
export const ifPresent = <A, E, R>(request: Effect.Effect<A, E | S3Failed, R>) =>
  Effect.catchIf(
    Effect.asSome(request),
    (failure) => failure instanceof S3Failed && failure.status === 404,
    () => Effect.succeed(Option.none<A>())
  )

/** What to send. */
interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE"
  /** Below the prefix; the bucket itself if absent. */
  readonly name?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: S3Body
}

interface S3Body {
  /** Opens the body: once for each attempt. */
  readonly open: () => Readable
  readonly bytes: number
  readonly sha256: string
}

/** Opens a client. Its connections close with the scope. */
export const openS3 = (settings: S3Settings) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(
        () =>
          new Agent({
            connections: 64,
            connect: { timeout: 10_000 },
            headersTimeout: 30_000,
            bodyTimeout: 60_000
          })
      ),
      (agent) => Effect.promise(() => agent.destroy())
    ),
    (agent) => clientOver(agent, settings)
  )

export type S3Client = ReturnType<typeof clientOver>

const clientOver = (agent: Agent, settings: S3Settings) => {
  const { bucket, prefix, region, endpoint } = settings
  const base =
    endpoint === undefined
      ? `https://${bucket}.s3.${region}.amazonaws.com`
      : `${endpoint.replace(/\/+$/u, "")}/${bucket}`
  /** The signing keys of each day. */
  const signingKeys = new Map<string, ArrayBuffer>()
  const keyOf = (name: string) => (prefix === "" ? name : `${prefix}/${name}`)

  const attempt = ({ method, name, query, headers = {}, body }: S3Request, now: number) =>
    Effect.tryPromise({
      try: async (): Promise<Dispatcher.ResponseData> => {
        const path = name === undefined ? "" : keyOf(name).split("/").map(encodeURIComponent).join("/")
        const url = new URL(`${base}/${path}`)
        for (const [key, value] of Object.entries(query ?? {})) url.searchParams.set(key, value)
        const signed = await new AwsV4Signer({
          method,
          url: url.href,
          headers: { ...headers, "x-amz-content-sha256": body?.sha256 ?? emptySha256 },
          accessKeyId: settings.keyId,
          secretAccessKey: settings.secret,
          ...(settings.session === undefined ? {} : { sessionToken: settings.session }),
          service: "s3",
          region,
          cache: signingKeys,
          datetime: new Date(now).toISOString().replace(/[:-]|\.\d{3}/gu, "")
        }).sign()
        const response = await request(url, {
          method,
          dispatcher: agent,
          headers: {
            ...Object.fromEntries(signed.headers.entries()),
            ...(/^P/u.test(method) ? { "content-length": String(body?.bytes ?? 0) } : {})
          },
          body: body?.open() ?? null
        })
        if (response.statusCode < 300) return response
        throw await refusalOf(response)
      },
      catch: (cause) =>
        cause instanceof S3Failed
          ? cause
          : new S3Failed({
              status: 0,
              detail: `no response (${cause instanceof Error ? cause.message : "?"})`
            })
    })

  /** Sends a request. Retries it if the server is busy, broken or not reachable: all requests are idempotent. */
  const send = (wanted: S3Request): Effect.Effect<Dispatcher.ResponseData, S3Failed> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => attempt(wanted, now)).pipe(
      Effect.retry({
        while: ({ status }) => status === 0 || status === 429 || status >= 500,
        schedule: Schedule.intersect(
          Schedule.jittered(Schedule.exponential("200 millis")),
          Schedule.recurs(3)
        )
      })
    )
  const text = (wanted: S3Request) => Effect.flatMap(send(wanted), readText)

  /** https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html */
  const putParts = (
    name: string,
    path: string,
    size: number,
    headers: Readonly<Record<string, string>>
  ): Effect.Effect<void, S3Failed> =>
    Effect.acquireUseRelease(
      Effect.flatMap(text({ method: "POST", name, query: { uploads: "" }, headers }), (xml) => {
        const id = unescapeXml(/<UploadId>([^<]+)</u.exec(xml)?.[1])
        return id === undefined
          ? new S3Failed({ status: 0, detail: "its response to a multipart upload has no id" })
          : Effect.succeed(id)
      }),
      (uploadId) =>
        Effect.gen(function* () {
          const count = Math.ceil(size / partSize)
          const tags = yield* Effect.forEach(
            Array.from({ length: count }, (_, index) => index + 1),
            (number) =>
              Effect.gen(function* () {
                const from = (number - 1) * partSize
                const body = yield* Effect.promise(() => bodyOf(path, from, Math.min(partSize, size - from)))
                const query = { partNumber: String(number), uploadId }
                const response = yield* send({ method: "PUT", name, query, body })
                yield* readText(response)
                return `<Part><PartNumber>${number}</PartNumber><ETag>${String(response.headers["etag"])}</ETag></Part>`
              }),
            { concurrency: 4 }
          )
          const list = `<CompleteMultipartUpload>${tags.join("")}</CompleteMultipartUpload>`
          const said = yield* text({
            method: "POST",
            name,
            query: { uploadId },
            body: bodyOfBytes(Buffer.from(list))
          })
          // The response begins before the parts are joined, so that an error can follow status 200.
          if (said.includes("<Error>")) return yield* failureIn(500, said)
        }),
      (uploadId, exit) =>
        Exit.isSuccess(exit)
          ? Effect.void
          : Effect.ignore(text({ method: "DELETE", name, query: { uploadId } }))
    )

  /** Lists objects in the order of their names, after those of an earlier page. At most 1,000 at once. */
  const list = (folder: string, most: number, token?: string) =>
    Effect.map(
      text({
        method: "GET",
        query: {
          "list-type": "2",
          "max-keys": String(most),
          prefix: keyOf(folder),
          ...(token === undefined ? {} : { "continuation-token": token })
        }
      }),
      (xml) => ({
        objects: objectsIn(xml).map((found) => ({ ...found, name: found.name.slice(keyOf("").length) })),
        next: unescapeXml(/<NextContinuationToken>([^<]*)</u.exec(xml)?.[1])
      })
    )

  return {
    /** The address of the objects, for messages. */
    name: `s3://${bucket}${prefix === "" ? "" : `/${prefix}`}`,

    /** Stores a file, a large one in parts, in place of an object of this name. `sha256` is the file's, if known. */
    putFile: (name: string, path: string, type: string, sha256?: string) =>
      Effect.gen(function* () {
        const { size } = yield* Effect.promise(() => stat(path))
        const headers = { "content-type": type }
        if (size > partSize) return yield* putParts(name, path, size, headers)
        const body = yield* Effect.promise(() => bodyOf(path, 0, size, sha256))
        yield* text({ method: "PUT", name, headers, body })
      }),

    /** Stores a few bytes. */
    putBytes: (name: string, content: Buffer) =>
      Effect.asVoid(text({ method: "PUT", name, body: bodyOfBytes(content) })),

    /** Returns an object's size. */
    size: (name: string) =>
      Effect.map(send({ method: "HEAD", name }), ({ headers }) => Number(headers["content-length"])),

    /** Reads an object, or the bytes from `from` to `to` of it. The scope's end aborts the response. */
    read: (
      name: string,
      range?: { readonly from: number; readonly to: number }
    ): Effect.Effect<Readable, S3Failed, Scope.Scope> =>
      Effect.acquireRelease(
        Effect.map(
          send({
            method: "GET",
            name,
            ...(range === undefined ? {} : { headers: { range: `bytes=${range.from}-${range.to}` } })
          }),
          ({ body }) => body
        ),
        (body) => Effect.sync(() => body.on("error", () => undefined).destroy())
      ),

    /** Reads a small object. */
    readText: (name: string) => text({ method: "GET", name }),

    remove: (name: string) => Effect.asVoid(text({ method: "DELETE", name })),

    list,

    /** Lists all objects in a folder, in pages. */
    pages: (folder: string) =>
      Stream.paginateEffect(undefined, (token: string | undefined) =>
        Effect.map(
          list(folder, 1_000, token),
          ({ objects, next }) => [objects, Option.fromNullable(next)] as const
        )
      )
  }
}

const emptySha256 = createHash("sha256").digest("hex")

/** Size of the parts of a large file. There may be 10,000 of them. */
const partSize = 64 * 1024 * 1024

/** Returns `bytes` bytes of a file from `start` as a request's body. */
const bodyOf = async (path: string, start: number, bytes: number, sha256?: string): Promise<S3Body> => ({
  open: () => (bytes === 0 ? Readable.from([]) : createReadStream(path, { start, end: start + bytes - 1 })),
  bytes,
  sha256: sha256 ?? (await sha256OfFile(path, start, bytes))
})

const bodyOfBytes = (content: Buffer): S3Body => ({
  open: () => Readable.from([content]),
  bytes: content.length,
  sha256: createHash("sha256").update(content).digest("hex")
})
