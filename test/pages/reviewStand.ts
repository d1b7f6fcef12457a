/** A stand-in for the review server: serves a review page with its film, and answers its requests at once. */
import { createReadStream, statSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { extname } from "node:path"
import type { JobReport } from "../../src/domain/report/Report.ts"
import type {
  ApprovalRequest,
  CuePart,
  DeliveryStanding,
  ReviewedCue,
  ShownApproval,
  SpeakerPrice,
  SpeakerSheet,
  Take
} from "../../src/pages/data/ReviewProtocol.ts"

const types: Readonly<Record<string, string>> = { ".mp4": "video/mp4", ".wav": "audio/wav" }
const voice = { provider: "provider_native", voice: "en-anna", speeds: { min: 0.5, max: 2 }, pace: 60 }
const speakers: SpeakerSheet = {
  speakers: ["LAN", "MINH"].map((speaker) => ({ speaker, lines: 2_500, ...voice })),
  voices: [voice]
}
const price: SpeakerPrice = { lines: 2_500, kept: 0, tasks: 500, characters: 90_000, credits: 90_000 }

/** What is served: the page, the report that it shows, and the files beside it by name. */
export interface Stand {
  readonly page: string
  readonly report: JobReport
  readonly files: Readonly<Record<string, string>>
  /** A WAV file: each take. */
  readonly take: Uint8Array
}

/** Starts the server on a free port; returns the address of the page. */
export const startStand = async ({ page, report, files, take }: Stand) => {
  const approvals: { job?: ShownApproval; cues: Record<string, ShownApproval> } = { cues: {} }
  const standing = (): DeliveryStanding => ({
    ...{ state: "delivered", ended: 0, canUndo: true, canRedo: true },
    approvals
  })
  const approve = ({ cues = [], job, approved }: ApprovalRequest): void => {
    const mark = { by: "anna", at: "2026-03-02T22:00:03Z" }
    if (job === true && approved) approvals.job = mark
    else if (job === true) delete approvals.job
    for (const cue of cues)
      if (approved) approvals.cues[cue] = mark
      else delete approvals.cues[cue]
  }
  const cueAt = (index: number): ReviewedCue => {
    const { start, end, said = "", speaker } = report.cues[index - 1] ?? { start: 0, end: 1 }
    const now = { say: said, provider: voice.provider, voice: voice.voice, speed: 1, start, end }
    const part: CuePart = { name: `${index}`, script: now, now, pace: 60, tail: 0.5 }
    return {
      parts: [speaker === undefined ? part : { ...part, speaker }],
      takes: [{ [index]: { ...now, say: `${said} Indeed.` } }],
      voices: [voice],
      maxSpeed: 1.3
    }
  }
  const wav = Buffer.from(take).toString("base64")
  const taken = (index: number): Take => {
    const { start, end } = report.cues[index - 1] ?? { start: 0, end: 1 }
    return { start, end, speed: 1, flags: [], besides: [], wav }
  }
  const answer = (path: string, body: string): object => {
    const [, cue, what] = /^cues\/(\d+)(?:\/(\w+))?$/u.exec(path) ?? []
    if (cue !== undefined && what === undefined) return cueAt(Number(cue))
    if (what === "take" || what === "replay") return taken(Number(cue))
    if (path === "approve") approve(JSON.parse(body))
    return path === "speakers" ? speakers : path === "voice/price" ? price : standing()
  }
  const server = createServer((request, response) => {
    const path = (request.url ?? "").replace("/token/film/", "")
    const file = files[decodeURIComponent(path)]
    if (file !== undefined) return sendFile(file, request, response)
    if (path === "report.html") {
      response.setHeader("content-type", "text/html; charset=utf-8")
      return response.end(page)
    }
    let body = ""
    request.on("data", (chunk: Buffer) => (body += chunk.toString()))
    request.on("end", () => {
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify(answer(path, body)))
    })
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const address = server.address()
  const port = typeof address === "object" ? address?.port : 0
  return {
    address: `http://127.0.0.1:${port}/token/film/report.html`,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

/** Sends a file, or the range of it that is asked for: players seek by ranges. */
const sendFile = (file: string, request: IncomingMessage, response: ServerResponse): void => {
  const { size } = statSync(file)
  const [, from = "0", to = ""] = /bytes=(\d+)-(\d*)/u.exec(request.headers.range ?? "") ?? []
  const [start, end] = [Number(from), to === "" ? size - 1 : Number(to)]
  response.writeHead(request.headers.range === undefined ? 200 : 206, {
    "content-type": types[extname(file)] ?? "application/octet-stream",
    "content-length": end - start + 1,
    "accept-ranges": "bytes",
    "content-range": `bytes ${start}-${end}/${size}`
  })
  createReadStream(file, { start, end }).pipe(response)
}
