/**
 * A stand-in for S3 that holds objects in memory. It computes each signature again, from the specification of Signature
 * Version 4, and the digest of each body: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
import { createHash, createHmac, randomUUID } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"

const keyId = "AKIDEXAMPLE0123456789"
const secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
const region = "eu-west-1"

const sha = (content: string | Buffer) => createHash("sha256").update(content).digest("hex")
const mac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest()
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/gu, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`)

class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string
  ) {
    super(code)
  }
}

/** Throws unless the request is signed with the key, at about this time, with the digest of this body. */
const checkSignature = ({ method = "", url = "", headers }: IncomingMessage, body: Buffer): void => {
  const [, id, day = "", place = "", names = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/u.exec(
      headers.authorization ?? ""
    ) ?? []
  if (id !== keyId) throw new Refusal(403, "InvalidAccessKeyId")
  const scope = `${day}/${place}`
  if (place !== `${region}/s3/aws4_request`) throw new Refusal(403, "AuthorizationHeaderMalformed")
  const time = String(headers["x-amz-date"])
  const at = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/u, "$1-$2-$3T$4:$5:$6Z"))
  if (!(Math.abs(Date.now() - at) < 900_000)) throw new Refusal(403, "RequestTimeTooSkewed")
  if (headers["x-amz-content-sha256"] !== sha(body)) throw new Refusal(400, "XAmzContentSHA256Mismatch")
  const signed = names.split(";")
  for (const name of ["host", "x-amz-date", "x-amz-content-sha256"])
    if (!signed.includes(name)) throw new Refusal(403, "AccessDenied")
  const { pathname, searchParams } = new URL(url, "http://s3")
  const canonical = [
    method,
    pathname
      .split("/")
      .map((part) => encoded(decodeURIComponent(part)))
      .join("/"),
    [...searchParams]
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .sort()
      .join("&"),
    ...signed.map((name) => `${name}:${String(headers[name]).trim()}`),
    "",
    names,
    headers["x-amz-content-sha256"]
  ].join("\n")
  const key = [region, "s3", "aws4_request"].reduce(
    (last, part) => mac(last, part),
    mac(`AWS4${secret}`, day)
  )
  if (signature !== mac(key, ["AWS4-HMAC-SHA256", time, scope, sha(canonical)].join("\n")).toString("hex"))
    throw new Refusal(403, "SignatureDoesNotMatch")
}

/** A server with one bucket, `audio`. */
export class S3Server {
  readonly objects = new Map<string, Buffer>()
  /** The parts of each multipart upload that is neither complete nor aborted, by number. */
  readonly uploads = new Map<string, Map<number, Buffer>>()
  /** Parts received. */
  parts = 0
  /** Requests answered, by method: `LIST` for those of the bucket. */
  readonly answered: Record<string, number> = {}
  /** While true, every request gets 503. */
  isDown = false
  /** Requests refused because the server is down. */
  refused = 0

  private readonly servers: Array<Server> = []
  private readonly tags = new WeakMap<Buffer, string>()

  private constructor() {}

  /** The variables that a client needs. */
  environment: Readonly<Record<string, string>> = {}

  static async start(): Promise<S3Server> {
    const s3 = new S3Server()
    s3.environment = await s3.endpoint()
    return s3
  }

  /** Opens one more address of the bucket and returns its variables. `stored` gets each object stored through it. */
  async endpoint(stored: (key: string) => void = () => {}): Promise<Readonly<Record<string, string>>> {
    const server = createServer()
    this.servers.push(server)
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.on("request", (request, response) => void this.answer(request, response, stored))
    return {
      AWS_ACCESS_KEY_ID: keyId,
      AWS_SECRET_ACCESS_KEY: secret,
      AWS_REGION: region,
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`
    }
  }

  private async answer(
    request: IncomingMessage,
    response: ServerResponse,
    stored: (key: string) => void
  ): Promise<void> {
    try {
      const pieces: Array<Buffer> = []
      for await (const piece of request) pieces.push(Buffer.from(piece))
      if (this.isDown) this.refused++
      if (this.isDown) throw new Refusal(503, "SlowDown")
      const body = Buffer.concat(pieces)
      checkSignature(request, body)
      this.serve(request, body, response, stored)
    } catch (error) {
      if (!(error instanceof Refusal)) return void response.destroy()
      const text = `<Error><Code>${error.code}</Code><Message>refused &amp; logged</Message></Error>`
      response.writeHead(error.status, { "content-type": "application/xml" })
      response.end(request.method === "HEAD" ? undefined : text)
    }
  }

  private serve(
    { method = "", url = "", headers }: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
    stored: (key: string) => void
  ): void {
    const { pathname, searchParams } = new URL(url, "http://s3")
    const [, bucket, key = ""] = /^\/([^/]+)\/(.*)$/u.exec(decodeURIComponent(pathname)) ?? []
    if (bucket !== "audio") throw new Refusal(404, "NoSuchBucket")
    const kind = key === "" ? "LIST" : method
    this.answered[kind] = (this.answered[kind] ?? 0) + 1
    if (key === "") return void response.end(this.page(searchParams))
    const uploadId = searchParams.get("uploadId")
    if (uploadId !== null || searchParams.has("uploads"))
      return this.upload(method, key, uploadId, searchParams, body, response)
    if (method === "PUT") {
      if (headers["content-length"] === undefined) throw new Refusal(411, "MissingContentLength")
      this.objects.set(key, body)
      stored(key)
      return void response.end()
    }
    if (method === "DELETE") {
      this.objects.delete(key)
      return void response.writeHead(204).end()
    }
    const found = this.objects.get(key)
    if (found === undefined) throw new Refusal(404, "NoSuchKey")
    const [, from, to] = /^bytes=(\d+)-(\d+)$/u.exec(headers.range ?? "") ?? []
    const part = from === undefined ? found : found.subarray(Number(from), Number(to) + 1)
    response.writeHead(from === undefined ? 200 : 206, { "content-length": part.length })
    response.end(method === "HEAD" ? undefined : part)
  }

  /** https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html */
  private upload(
    method: string | undefined,
    key: string,
    id: string | null,
    query: URLSearchParams,
    body: Buffer,
    response: ServerResponse
  ): void {
    if (id === null) {
      const made = randomUUID()
      this.uploads.set(made, new Map())
      return void response.end(
        `<InitiateMultipartUploadResult><UploadId>${made}</UploadId></InitiateMultipartUploadResult>`
      )
    }
    const parts = this.uploads.get(id)
    if (parts === undefined) throw new Refusal(404, "NoSuchUpload")
    if (method === "PUT") {
      this.parts++
      parts.set(Number(query.get("partNumber")), body)
      return void response.writeHead(200, { etag: `"${sha(body)}"` }).end()
    }
    if (method === "POST") {
      const wanted = [...String(body).matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]+)<\/ETag>/gu)]
      const pieces = wanted.map(([, number, tag]) => {
        const piece = parts.get(Number(number))
        if (piece === undefined || tag !== `"${sha(piece)}"`) throw new Refusal(400, "InvalidPart")
        return piece
      })
      this.objects.set(key, Buffer.concat(pieces))
    }
    this.uploads.delete(id)
    response.writeHead(method === "POST" ? 200 : 204).end()
  }

  /** A list names the tag of each object: they are computed once, as there may be thousands. */
  private tagOf(object: Buffer): string {
    const known = this.tags.get(object)
    if (known !== undefined) return known
    const tag = createHash("md5").update(object).digest("hex")
    this.tags.set(object, tag)
    return tag
  }

  private page(query: URLSearchParams): string {
    const most = Number(query.get("max-keys"))
    const after = query.get("continuation-token") ?? ""
    const names = [...this.objects.keys()]
      .filter((name) => name.startsWith(query.get("prefix") ?? "") && name > after)
      .sort()
    const keys = names.slice(0, most).map((name) => {
      const object = this.objects.get(name) ?? Buffer.alloc(0)
      return `<Contents><Key>${name}</Key><ETag>&quot;${this.tagOf(object)}&quot;</ETag><Size>${object.length}</Size></Contents>`
    })
    const next =
      names.length > most ? `<NextContinuationToken>${names[most - 1]}</NextContinuationToken>` : ""
    return `<ListBucketResult>${keys.join("")}${next}</ListBucketResult>`
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.servers.map((server) => {
        server.closeAllConnections()
        server.close()
        return once(server, "close")
      })
    )
  }
}
