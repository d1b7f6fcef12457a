/**
 * Writes a FLAC file whose frames are encoded in order of time, or completes it from an earlier version of the file:
 * the frames of other sections are copied. The file itself is not changed until the new one is complete.
 */
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { resolve } from "node:path"
import { Effect } from "effect"
import type { FrameSizes } from "../../audio/formats/FlacFrames.ts"
import { flacHeader, type FlacStream } from "../../audio/formats/FlacHeader.ts"
import { partFiles, partOf } from "../../system/AtomicFile.ts"
import { attempt, removedAtEnd, writeRefusal } from "../process/FileFaults.ts"
import { copyRange, type FileRange, readRange, writeFully } from "./FileRanges.ts"
import type { FlacOrder } from "./FlacPart.ts"
import type { OrderResult } from "./SampleSinks.ts"
import { release } from "./StdinFeed.ts"

/** A FLAC file to write: its header, and the order for its frames. */
export interface FlacFile {
  readonly stream: FlacStream
  readonly order: FlacOrder
}

/** The frames of a section in an earlier version of the file. */
export interface KeptFrames extends FrameSizes {
  /** Where they begin, in bytes. */
  readonly at: number
}

/** How to complete a FLAC file. */
export interface FrameSplice {
  /** Path of the file that receives the frames of the rendered sections. */
  readonly patch: string
  /** All sections in order of time; undefined for a rendered one. */
  readonly sections: ReadonlyArray<KeptFrames | undefined>
  /** Where the samples for the checksum are in a WAV file, if the FLAC file has one. */
  readonly samples?: FileRange & { readonly path: string }
}

/**
 * Opens a file. Its frames go to `target`: the `.part` file, after the header, or the patch. Returns what takes the
 * results of its order, and the step that completes the file. That returns the step that puts a spliced file in place.
 */
export const openFlacFile = Effect.fnUntraced(function* (
  { stream, order }: FlacFile,
  splice: FrameSplice | undefined
) {
  const path = resolve(order.path)
  const made = partOf(path)
  const target = splice?.patch ?? made
  const rename = splice === undefined ? Effect.void : yield* partFiles([path], writeRefusal)
  if (splice !== undefined) yield* removedAtEnd(target)
  const file = yield* Effect.acquireRelease(
    attempt(path, () => open(target, "w+")),
    (opened) => Effect.promise(() => opened.close())
  )
  const place = flacHeader(stream)
  const md5 = createHash("md5")
  const rendered: Array<FrameSizes> = []
  let written = splice === undefined ? place.length : 0

  const take = (result: OrderResult) => {
    if (result.kind === "encoded") return Effect.sync(() => void rendered.push(result.sizes))
    if (result.kind !== "fed") return Effect.void
    const { bytes, isChecked, taken } = result
    if (isChecked)
      return Effect.sync(() => {
        md5.update(bytes)
        release(taken)
      })
    return attempt(path, async () => {
      await writeFully(file, bytes, written)
      written += bytes.length
    }).pipe(Effect.ensuring(Effect.sync(() => release(taken))))
  }

  const whole = async () => {
    const sums = { sizes: sumOf(rendered), md5: order.isChecked ? md5.digest() : undefined }
    await writeFully(file, flacHeader(stream, sums), 0)
  }
  const spliced = async ({ sections, samples }: FrameSplice) => {
    const copied: Array<{ from: FileHandle; at: number; size: number }> = []
    const present = await open(path, "r")
    const next = await open(made, "w")
    try {
      let [patched, at] = [0, 0]
      const sizes = sections.map((kept) => kept ?? rendered[patched++] ?? nothing)
      for (const [index, { bytes }] of sizes.entries()) {
        const kept = sections[index]
        const last = copied.at(-1)
        const part =
          kept === undefined ? { from: file, at, size: bytes } : { from: present, at: kept.at, size: bytes }
        if (kept === undefined) at += bytes
        if (last?.from === part.from && last.at + last.size === part.at) last.size += bytes
        else copied.push(part)
      }
      let to = place.length
      for (const part of copied) {
        await copyRange(part.from, part, next, to)
        to += part.size
      }
      const sums = {
        sizes: sumOf(sizes),
        md5: samples === undefined ? undefined : await md5Of(samples)
      }
      await writeFully(next, flacHeader(stream, sums), 0)
    } finally {
      await present.close()
      await next.close()
    }
  }
  const completed = attempt(path, () => (splice === undefined ? whole() : spliced(splice)))
  return { take, complete: Effect.as(Effect.uninterruptible(completed), rename) }
})

const nothing: FrameSizes = { bytes: 0, least: 0, most: 0 }

/** The sizes of the frames of all sections. */
const sumOf = (sections: ReadonlyArray<FrameSizes>): FrameSizes => {
  const some = sections.filter(({ bytes }) => bytes > 0)
  return {
    bytes: some.reduce((sum, { bytes }) => sum + bytes, 0),
    least: some.length === 0 ? 0 : Math.min(...some.map(({ least }) => least)),
    most: Math.max(0, ...some.map(({ most }) => most))
  }
}

/** The MD5 of the samples in a WAV file: in its next version, if that is complete but not in place yet. */
const md5Of = async ({ path, ...range }: NonNullable<FrameSplice["samples"]>): Promise<Uint8Array> => {
  const next = partOf(resolve(path))
  const file = await open(existsSync(next) ? next : path, "r")
  try {
    const md5 = createHash("md5")
    for await (const bytes of readRange(file, range)) md5.update(bytes)
    return md5.digest()
  } finally {
    await file.close()
  }
}
