/** Serves a file over HTTP: whole, a byte range, or headers only. */
import { HttpServerResponse } from "@effect/platform"
import { Effect, type Scope } from "effect"
import { mediaTypes } from "../storage/FileStore.ts"
import type { FoundFile, SignedFile } from "../storage/TaskFiles.ts"

/** A satisfiable byte range, `to` inclusive; "whole"; or "beyond" if it starts after the file's end. */
export type WantedRange = { readonly from: number; readonly to: number } | "whole" | "beyond"

/**
 * Parses a Range header for a file of `size` bytes (RFC 9110, section 14). Other units, several ranges and malformed
 * headers select the whole file.
 */
export const rangeOf = (header: string | undefined, size: number): WantedRange => {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/u.exec(header?.replaceAll(" ", "") ?? "")
  if (match === null) return "whole"
  const [, first = "", last = ""] = match
  if (first === "") {
    if (last === "") return "whole"
    const length = Math.min(Number(last), size)
    return length === 0 ? "beyond" : { from: size - length, to: size - 1 }
  }
  const from = Number(first)
  const to = last === "" ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== "" && Number(last) < from) return "whole"
  return from >= size ? "beyond" : { from, to }
}

/** The headers of every response about a file. */
const fileHeaders = ({ etag, remaining }: SignedFile) => ({
  "accept-ranges": "bytes",
  etag,
  "cache-control": `private, max-age=${remaining}, immutable`,
  "content-disposition": `inline; filename=${etag}`,
  "x-content-type-options": "nosniff"
})

/** Builds the response with a file. Honours `If-None-Match`, `If-Range` and `Range`. */
export const fileResponse = (
  file: FoundFile,
  request: { readonly method: string; readonly headers: Readonly<Record<string, string | undefined>> }
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, Scope.Scope> => {
  const { headers, method } = request
  const common = fileHeaders(file)
  if (
    headers["if-none-match"]?.split(",").some((tag) => tag.trim() === file.etag || tag.trim() === "*") ===
    true
  )
    return Effect.succeed(HttpServerResponse.empty({ status: 304, headers: common }))
  const condition = headers["if-range"]
  const range =
    condition === undefined || condition.trim() === file.etag ? rangeOf(headers["range"], file.size) : "whole"
  if (range === "beyond")
    return Effect.succeed(
      HttpServerResponse.empty({
        status: 416,
        headers: { ...common, "content-range": `bytes */${file.size}` }
      })
    )
  const { from, to } = range === "whole" ? { from: 0, to: file.size - 1 } : range
  const answer = {
    status: range === "whole" ? 200 : 206,
    headers: {
      ...common,
      "content-type": mediaTypes[file.kind],
      "content-length": String(to - from + 1),
      ...(range === "whole" ? {} : { "content-range": `bytes ${from}-${to}/${file.size}` })
    }
  }
  // A stream cannot start at byte 0 of an empty file.
  return method === "HEAD" || file.size === 0
    ? Effect.succeed(HttpServerResponse.raw(null, answer))
    : Effect.map(file.read(from, to), (bytes) => HttpServerResponse.raw(bytes, answer))
}
