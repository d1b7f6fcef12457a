/** The review server: serves the report pages with their editor, and handles the editor's requests. */
import { existsSync, createReadStream } from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import { Path } from "@effect/platform"
import { Cause, Effect, Either, Runtime } from "effect"
import { builtParts } from "../../pages/documents/BuiltParts.ts"
import { errorPage } from "../../pages/documents/ErrorPage.ts"
import { readCue } from "../../pipeline/review/ReviewedLines.ts"
import { type ReviewFailed, reviewFailed } from "../../pipeline/review/ReviewFailed.ts"
import { filmShown, reviewedBatch, reviewedJob, soundOf } from "../../pipeline/review/ReviewPages.ts"
import { parseApproval, parseShape, parseVoice } from "../../pipeline/review/ReviewRequests.ts"
import { readSpeakers } from "../../pipeline/review/ReviewVoices.ts"
import { parseEdits } from "../../pipeline/review/ReviewEdits.ts"
import { listenHttp } from "../../service/http/HttpServer.ts"
import { loadBatchInput, type BatchOptions } from "../batch/BatchInput.ts"
import { mediaTypeOf } from "../batch/MediaTypes.ts"
import { exitCodeFor } from "../ExitCodes.ts"
import { makeReviewAccess, type AccessRefusal } from "./ReviewAccess.ts"
import { isPosted, routeOf, type PostedRoute, type Route } from "./ReviewRoutes.ts"
import { Screen } from "../terminal/Screen.ts"
import { createHash } from "node:crypto"
import { stat } from "node:fs/promises"
import { pipeline } from "node:stream/promises"
import type { Html } from "../../pages/parts/Html.ts"
import { previewFrom } from "../../pages/data/ReviewProtocol.ts"
import type { TakePreview } from "../../pipeline/review/TakePreview.ts"
import { rangeOf } from "../../service/http/FileResponse.ts"
import { NoSuchPage, jobIn, makeReviewWork, type ReviewWork } from "./ReviewWork.ts"

/** Serves on loopback until the scope closes. Prints the address to open, and new ones for other browsers. */
export const serveReview = Effect.fn("ReviewServer.serveReview")(function* (
  options: BatchOptions,
  port: number,
  by: string
) {
  const screen = yield* Screen
  const work = yield* makeReviewWork(options, by)
  const media = new Map<string, string>()
  const answering = (route: Route, request: IncomingMessage, response: ServerResponse) =>
    answered(options, work, media, route, request, response)
  const runtime = yield* Effect.runtime<Effect.Effect.Context<ReturnType<typeof answering>>>()
  const fork = Runtime.runFork(runtime)
  const print = (address: string) => screen.result(`review ${address}`)
  let access = makeReviewAccess("http://127.0.0.1")
  const { address } = yield* listenHttp(
    (request, response) => {
      const { method = "", url = "", headers } = request
      const refuse = ({ status, error, address }: AccessRefusal) => {
        if (address !== undefined) fork(print(address))
        sendTrouble(request, response, status, error)
      }
      const decision = access.decide({ method, url, headers })
      if (Either.isLeft(decision)) return refuse(decision.left)
      switch (decision.right._tag) {
        case "Entry":
          return sendAway(response, "index.html", { "set-cookie": decision.right.cookie })
        case "Reload":
          return sendReload(response)
        case "Admitted":
          return Either.match(routeOf(decision.right), {
            onLeft: refuse,
            onRight: (route) => void fork(answering(route, request, response))
          })
      }
    },
    { host: "127.0.0.1", port, connections: 64, requestSeconds: 30 }
  )
  access = makeReviewAccess(address)
  yield* print(access.address)
})

/**
 * Handles one request; a failure is answered with its message. Reloads the batch, since its files may have changed.
 * Players ask for many ranges, so `media` has the paths of the files that a page shows, until it is loaded again.
 */
const answered = Effect.fnUntraced(
  function* (
    options: BatchOptions,
    work: ReviewWork,
    media: Map<string, string>,
    route: Route,
    request: IncomingMessage,
    response: ServerResponse
  ) {
    if (route._tag === "Home") return sendAway(response, "index.html")
    if (route._tag === "Delivery") return sendJson(response, 200, work.standing(route.job))
    if (route._tag === "Preview") return sendPreview(response, yield* work.preview(route.job, route.cue))
    if (isPosted(route)) return sendJson(response, 200, yield* changed(work, route, yield* bodyOf(request)))
    const address = "file" in route ? JSON.stringify(route) : ""
    const known = media.get(address)
    if (known !== undefined && existsSync(known)) return yield* sendMedia(request, response, known)
    const batch = yield* loadBatchInput(options)
    if (route._tag === "Batch") return sendPage(response, yield* reviewedBatch(batch))
    const job = yield* jobIn(batch, route.job)
    switch (route._tag) {
      case "Report":
        media.clear()
        return sendPage(response, yield* reviewedJob(batch, job))
      case "Speakers":
        return sendJson(response, 200, yield* readSpeakers(batch, job))
      case "Cue": {
        const plan = yield* work.planned(batch, job)
        const takes = work.takesOf(job.id, route.cue)
        sendJson(response, 200, yield* readCue(batch, job, plan, route.cue, takes))
        // An edit box was opened, so an edit may follow.
        return yield* work.prepare(batch)
      }
      case "File": {
        const { join } = yield* Path.Path
        const sound = yield* soundOf(batch.out, job)
        if (sound === undefined || route.file !== sound) return yield* new NoSuchPage()
        const path = join(batch.out, job.id, sound)
        media.set(address, path)
        return yield* sendMedia(request, response, path)
      }
      case "Film": {
        const { basename } = yield* Path.Path
        const film = yield* filmShown(batch, job)
        if (film === undefined || route.file !== basename(film)) return yield* new NoSuchPage()
        media.set(address, film)
        yield* sendMedia(request, response, film)
      }
    }
  },
  (effect, _options, _work, _media, route, request, response) =>
    Effect.catchAllCause(effect, (cause) =>
      Effect.sync(() => {
        const failure = Cause.squash(cause)
        if (failure instanceof NoSuchPage) return sendTrouble(request, response, 404, failure.message)
        const home = route._tag === "Batch" ? undefined : "../index.html"
        sendTrouble(request, response, 422, exitCodeFor(failure).message, home)
      })
    )
)

/** Carries out a request that changes something, or that asks for the price of a change. */
const changed = Effect.fnUntraced(function* (work: ReviewWork, route: PostedRoute, body: string) {
  switch (route._tag) {
    case "Approve":
      return yield* work.approve(route.job, yield* parseApproval(body))
    case "Voice": {
      const voice = yield* parseVoice(body)
      return route.step === "price"
        ? yield* work.voicePrice(route.job, voice)
        : yield* work.saveVoice(route.job, voice)
    }
    case "Shape":
      return yield* work.shape(route, yield* parseShape(route.change, body))
    case "Change":
      return yield* work.change(route, route.change === "withdraw" ? {} : yield* parseEdits(body))
    case "Step":
      return yield* work.step(route.job, route.step)
  }
})

/** Sends a file or the requested part of it; 404 if it does not exist. */
const sendMedia = (request: IncomingMessage, response: ServerResponse, path: string) =>
  Effect.tryPromise({
    try: () => sendFile(response, path, request.headers.range, request.method === "HEAD"),
    catch: () => new NoSuchPage()
  })

/** Sends an error, as a page if a browser asked for one, else as JSON. */
const sendTrouble = (
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  error: string,
  home?: string
): void => {
  if (response.headersSent) response.destroy()
  else if (readsPages(request)) sendPage(response, errorPage(error, home, builtParts.batch), status)
  else sendJson(response, status, { error })
}

/** Whether a browser asked for a page. */
const readsPages = ({ headers }: IncomingMessage): boolean => headers.accept?.includes("text/html") === true

/** Limit of a request body. */
const maxBytes = 256_000

const bodyOf = (request: IncomingMessage): Effect.Effect<string, ReviewFailed> =>
  Effect.tryPromise({
    try: async () => {
      const chunks: Array<Uint8Array> = []
      let bytes = 0
      for await (const chunk of request) {
        const piece = Buffer.from(chunk)
        bytes += piece.length
        if (bytes > maxBytes) throw new Error(`more than ${maxBytes} bytes`)
        chunks.push(piece)
      }
      return Buffer.concat(chunks).toString("utf8")
    },
    catch: (cause) =>
      reviewFailed(`cannot read the request: ${cause instanceof Error ? cause.message : String(cause)}`)
  })

const guarded = {
  "cache-control": "no-store",
  "content-security-policy": "frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
}

/** Sends a page. */
const sendPage = (response: ServerResponse, page: Html, status = 200): void => {
  response.writeHead(status, { ...guarded, "content-type": "text/html; charset=utf-8" }).end(page.text)
}

/** Sends a value as JSON. */
const sendJson = (response: ServerResponse, status: number, value: object): void => {
  response
    .writeHead(status, { ...guarded, "content-type": "application/json; charset=utf-8" })
    .end(JSON.stringify(value))
}

/** Sends the mix around a take; nothing, with status 204, if there is none. */
const sendPreview = (response: ServerResponse, preview: TakePreview | undefined): void => {
  if (preview === undefined) return void response.writeHead(204, guarded).end()
  const { from, wav } = preview
  response.writeHead(200, { ...guarded, "content-type": "audio/wav", [previewFrom]: `${from}` }).end(wav)
}

/** Redirects to another page of the same server, so that a reload does not request this URL again. */
const sendAway = (response: ServerResponse, to: string, more: Readonly<Record<string, string>> = {}) => {
  response.writeHead(303, { ...guarded, ...more, location: to }).end()
}

/** Lets the browser request the same page again at once, with an empty query, as this server's own page. */
const sendReload = (response: ServerResponse): void => {
  const policy = `${guarded["content-security-policy"]}; default-src 'none'; script-src 'sha256-${reloadHash}'`
  response
    .writeHead(200, { ...guarded, "content-type": "text/html", "content-security-policy": policy })
    .end(`<!doctype html><script>${reload}</script>`)
}

/** Without the query, a URL with a fragment would not be requested again. */
const reload = 'location.replace("?" + location.hash)'
const reloadHash = createHash("sha256").update(reload).digest("base64")

/** Sends a media file, whole or the requested range. */
const sendFile = async (
  response: ServerResponse,
  path: string,
  range: string | undefined,
  headOnly: boolean
): Promise<void> => {
  const { size } = await stat(path)
  const wanted = rangeOf(range, size)
  const headers = {
    ...guarded,
    "accept-ranges": "bytes",
    "content-type": mediaTypeOf(path)
  }
  if (wanted === "beyond") {
    response.writeHead(416, { ...headers, "content-range": `bytes */${size}` }).end()
    return
  }
  const { from, to } = wanted === "whole" ? { from: 0, to: size - 1 } : wanted
  response.writeHead(wanted === "whole" ? 200 : 206, {
    ...headers,
    "content-length": to - from + 1,
    ...(wanted === "whole" ? {} : { "content-range": `bytes ${from}-${to}/${size}` })
  })
  if (headOnly || size === 0) {
    response.end()
    return
  }
  // A player that seeks closes the connection in mid-response.
  await pipeline(createReadStream(path, { start: from, end: to }), response).catch(() => response.destroy())
}
