/** A file as an HTTP answer: whole or a range of it, or only its head. */
import { HttpServerResponse } from "@effect/platform"
import { type FoundFile, mediaTypes } from "../storage/TaskFiles.ts"

/** A range that is asked for and exists, its last byte included; "whole"; or "beyond" the end. */
export type WantedRange = { readonly from: number; readonly to: number } | "whole" | "beyond"

/**
 * What a Range header asks of a file of so many bytes (RFC 9110): one range of bytes; a header of another unit, several
 * ranges or one that makes no sense asks for the whole.
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

/** The answer that carries a file. */
export const fileResponse = (
  file: FoundFile,
  request: { readonly method: string; readonly headers: Readonly<Record<string, string | undefined>> }
): HttpServerResponse.HttpServerResponse => {
  const { headers, method } = request
  const common = {
    "accept-ranges": "bytes",
    etag: file.etag,
    "cache-control": `private, max-age=${file.remaining}, immutable`,
    "content-disposition": `inline; filename=${file.etag}`,
    "x-content-type-options": "nosniff"
  }
  if (
    headers["if-none-match"]?.split(",").some((tag) => tag.trim() === file.etag || tag.trim() === "*") ===
    true
  ) {
    return HttpServerResponse.empty({ status: 304, headers: common })
  }
  const condition = headers["if-range"]
  const range =
    condition === undefined || condition.trim() === file.etag ? rangeOf(headers["range"], file.size) : "whole"
  if (range === "beyond") {
    return HttpServerResponse.empty({
      status: 416,
      headers: { ...common, "content-range": `bytes */${file.size}` }
    })
  }
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
  // An empty file has no byte to read from.
  if (method === "HEAD" || file.size === 0) return HttpServerResponse.raw(null, answer)
  return HttpServerResponse.raw(
    file.handle.createReadStream({ start: from, end: to, autoClose: false }),
    answer
  )
}
