/** Responses of the review server: pages, JSON and media, with headers that stop other sites from embedding them. */
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import type { ServerResponse } from "node:http"
import { extname } from "node:path"
import { pipeline } from "node:stream/promises"
import type { Html } from "../../pages/parts/Html.ts"
import { previewFrom } from "../../pages/data/ReviewProtocol.ts"
import type { TakePreview } from "../../pipeline/review/TakePreview.ts"
import { rangeOf } from "../../service/http/FileResponse.ts"

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
export const sendPage = (response: ServerResponse, page: Html, status = 200): void => {
  response.writeHead(status, { ...guarded, "content-type": "text/html; charset=utf-8" }).end(page.text)
}

/** Sends a value as JSON. */
export const sendJson = (response: ServerResponse, status: number, value: object): void => {
  response
    .writeHead(status, { ...guarded, "content-type": "application/json; charset=utf-8" })
    .end(JSON.stringify(value))
}

/** Sends the mix around a take; nothing, with status 204, if there is none. */
export const sendPreview = (response: ServerResponse, preview: TakePreview | undefined): void => {
  if (preview === undefined) return void response.writeHead(204, guarded).end()
  const { from, wav } = preview
  response.writeHead(200, { ...guarded, "content-type": "audio/wav", [previewFrom]: `${from}` }).end(wav)
}

/** Redirects to another page of the same server, so that a reload does not request this URL again. */
export const sendAway = (
  response: ServerResponse,
  to: string,
  more: Readonly<Record<string, string>> = {}
): void => {
  response.writeHead(303, { ...guarded, ...more, location: to }).end()
}

/** Lets the browser request the same page again at once, with an empty query, as this server's own page. */
export const sendReload = (response: ServerResponse): void => {
  const policy = `${guarded["content-security-policy"]}; default-src 'none'; script-src 'sha256-${reloadHash}'`
  response
    .writeHead(200, { ...guarded, "content-type": "text/html", "content-security-policy": policy })
    .end(`<!doctype html><script>${reload}</script>`)
}

/** Without the query, a URL with a fragment would not be requested again. */
const reload = 'location.replace("?" + location.hash)'
const reloadHash = createHash("sha256").update(reload).digest("base64")

/** Sends a media file, whole or the requested range. */
export const sendFile = async (
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
    "content-type": mediaTypes[extname(path)] ?? "application/octet-stream"
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

const mediaTypes: Readonly<Record<string, string>> = {
  ".wav": "audio/wav",
  ".flac": "audio/flac",
  ".mp3": "audio/mpeg",
  ".m4a": "audio/mp4",
  ".opus": "audio/ogg",
  ".mp4": "video/mp4",
  ".m4v": "video/mp4",
  ".ogv": "video/ogg",
  ".mov": "video/quicktime",
  ".webm": "video/webm",
  ".mkv": "video/x-matroska"
}
