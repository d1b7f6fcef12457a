/** An HTTP server on loopback that serves one file, with faults on demand; and archives of tiny voices. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import { Effect } from "effect"
import { type Header, pack } from "tar-stream"
import { spelling, tinyModel, tinyTokens } from "../neural/tinyVoice.ts"

/** One request: its Range header, and the status of the response. */
export interface SeenRequest {
  readonly range: string | undefined
  readonly status: number
}

/** How the server responds. */
export interface ServedFile {
  body: Buffer
  etag: string
  /** Breaks the connection after this many bytes of each response; 0 for never. */
  breakAfter: number
  /** Bytes that the client has written. */
  written: () => number
  /** Responds with this status instead; 0 for the usual one. */
  status: number
}

/** Starts the server; it ends with the scope. */
export const voiceServer = (body: Buffer) =>
  Effect.gen(function* () {
    const file: ServedFile = { body, etag: '"one"', breakAfter: 0, written: () => Infinity, status: 0 }
    const seen: Array<SeenRequest> = []
    const respond = (request: IncomingMessage, response: ServerResponse) => {
      if (request.url?.startsWith("/moved/") === true) {
        response.writeHead(302, { location: `http://${request.headers.host ?? ""}/file.tar.gz` }).end()
        return
      }
      const { range, "if-range": condition } = request.headers
      const from = condition === file.etag ? Number(/^bytes=(\d+)-$/u.exec(range ?? "")?.[1] ?? 0) : 0
      const status = file.status > 0 ? file.status : from > 0 ? 206 : 200
      seen.push({ range, status })
      if (file.status > 0) {
        response.writeHead(status).end()
        return
      }
      const rest = file.body.subarray(from)
      response.writeHead(status, {
        etag: file.etag,
        "content-length": rest.length,
        ...(from > 0 ? { "content-range": `bytes ${from}-${file.body.length - 1}/${file.body.length}` } : {})
      })
      if (file.breakAfter > 0) {
        const to = from + file.breakAfter
        response.write(rest.subarray(0, file.breakAfter))
        // The client must have written the bytes before it sees the error: it drops those that it has not read.
        const waiting = setInterval(() => {
          if (file.written() < to) return
          clearInterval(waiting)
          response.destroy()
        }, 5)
      } else response.end(rest)
    }
    const server = yield* Effect.acquireRelease(
      Effect.async<ReturnType<typeof createServer>>((resume) => {
        const made = createServer(respond)
        made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
      }),
      (made) =>
        Effect.async<void>((resume) => {
          made.closeAllConnections()
          made.close(() => resume(Effect.void))
        })
    )
    const place: AddressInfo | string | null = server.address()
    const port = typeof place === "object" && place !== null ? place.port : 0
    return { file, seen, address: `http://127.0.0.1:${port}` }
  })

/** An entry of an archive: a file's content, or a header of another kind. */
export type ArchiveEntry = readonly [
  header: Partial<Header> & { readonly name: string },
  content?: Buffer | string
]

/** Packs entries as .tar.gz. */
export const archiveOf = async (entries: ReadonlyArray<ArchiveEntry>): Promise<Buffer> => {
  const packed = pack()
  for (const [given, content = ""] of entries) {
    // The package changes the header object, so it gets a copy.
    const header = { ...given }
    if (header.type === undefined) packed.entry(header, content)
    else packed.entry(header)
  }
  packed.finalize()
  const blocks: Array<Buffer> = []
  packed.on("data", (block) => void (Buffer.isBuffer(block) && blocks.push(block)))
  await new Promise<void>((resolve) => packed.on("end", () => resolve()))
  return gzipSync(Buffer.concat(blocks))
}

/** The entries of a tiny voice, with a folder and a licence. */
export const voiceEntries: ReadonlyArray<ArchiveEntry> = [
  [{ name: "tiny/", type: "directory" }],
  [{ name: "tiny/model.onnx" }, tinyModel({ metadata: spelling })],
  [{ name: "tiny/tokens.txt" }, tinyTokens()],
  [{ name: "tiny/docs/LICENSE" }, "Free.\n"]
]
