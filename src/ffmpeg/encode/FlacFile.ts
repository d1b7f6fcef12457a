/**
 * Writes a FLAC file whose frames are encoded in order of time, or makes it from an earlier version of the file: the
 * frames of other sections are copied. The file itself is not changed until the new one is complete.
 */
import { existsSync } from "node:fs"
import { open } from "node:fs/promises"
import { resolve } from "node:path"
import { Effect, Fiber } from "effect"
import type { FrameSizes } from "../../audio/formats/FlacFrames.ts"
import { flacHeader, type FlacStream } from "../../audio/formats/FlacHeader.ts"
import { SampleChecksum } from "../../audio/formats/SampleChecksum.ts"
import { partOf } from "../../system/AtomicFile.ts"
import type { DiskFull, Unwritable } from "../process/FfmpegErrors.ts"
import { attempt } from "../process/FileFaults.ts"
import { copyRange, type FileRange, readRange, RunningSync, writeFully } from "./FileRanges.ts"
import type { FlacOrder } from "./FlacPart.ts"
import type { OrderResult } from "./SampleSinks.ts"
import { isMoved, placeKeeping } from "./SpareFile.ts"
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

/** How to make a FLAC file from its present version. */
export interface FrameSplice {
  /** All sections in order of time; undefined for a rendered one. */
  readonly sections: ReadonlyArray<KeptFrames | undefined>
  /** Path of the version before the present one. It is kept so that the next edit can overwrite it. */
  readonly spare: string
  /** The same frames in the spare; undefined where it has others. Undefined as a whole if the spare is not used. */
  readonly inSpare: FrameSplice["sections"] | undefined
  /** How to complete the checksum; undefined if the file has none. */
  readonly checksum: ChecksumSplice | undefined
}

/** How to complete the checksum of all samples when some sections, up to the first rendered one, are as before. */
interface ChecksumSplice {
  /** Its state after them; undefined if there are none. */
  readonly state: Uint8Array | undefined
  /**
   * Where the samples of each other section are in a WAV file; undefined if the renderer passes them on, of kept
   * sections, too.
   */
  readonly samples: { readonly path: string; readonly sections: ReadonlyArray<FileRange> } | undefined
}

/** What was written of a FLAC file. */
export interface WrittenFlac {
  /** The sizes of the frames of rendered sections, in order. */
  readonly rendered: ReadonlyArray<FrameSizes>
  /** The state of the checksum after each section that was added to it, in order. */
  readonly states: ReadonlyArray<Uint8Array>
}

/**
 * Opens a file. Returns what takes the results of its order, what is written by then, and the step that completes the
 * file. That returns the step that puts a spliced file in place. Kept frames are copied while others are rendered, as
 * soon as their place is known: after those of all sections before them. Those that a spare has at this place are not
 * copied.
 */
export const openFlacFile = Effect.fnUntraced(function* (
  { stream, order }: FlacFile,
  splice: FrameSplice | undefined
) {
  const path = resolve(order.path)
  const scope = yield* Effect.scope
  const place = splice === undefined ? Effect.void : yield* placeKeeping(path, splice.spare)
  const inSpare = usedSpare(splice, partOf(path))
  const file = yield* Effect.acquireRelease(
    attempt(path, () => open(partOf(path), inSpare === undefined ? "w" : "r+")),
    (opened) => Effect.promise(() => opened.close())
  )
  const sync = inSpare === undefined ? undefined : new RunningSync(file)
  const checksum = splice === undefined ? { state: undefined, samples: undefined } : splice.checksum
  const md5 = new SampleChecksum(checksum?.state)
  const rendered: Array<FrameSizes> = []
  const states: Array<Uint8Array> = []
  let written = flacHeader(stream).length
  /** Frames that are not written yet. */
  const block = Buffer.allocUnsafe(blockBytes)
  let held = 0
  const writeHeld = attempt(path, async () => {
    await writeFully(file, block.subarray(0, held), written)
    written += held
    held = 0
  })
  const put = (bytes: Uint8Array): Effect.Effect<void, DiskFull | Unwritable> =>
    Effect.suspend(() => {
      const some = bytes.subarray(0, block.length - held)
      block.set(some, held)
      held += some.length
      return held < block.length ? Effect.void : Effect.zipRight(writeHeld, put(bytes.subarray(some.length)))
    })

  const present = splice === undefined ? undefined : yield* openPresent(path)
  const all = splice?.sections ?? []
  /** The next section to be copied. */
  let next = 0
  const copies: Array<Fiber.Fiber<void, DiskFull | Unwritable>> = []
  /** Begins to copy the frames up to the next rendered section. It cannot be interrupted: it uses both files. */
  const copyKept = Effect.suspend(() => {
    const moves: Array<FileRange & { readonly to: number }> = []
    for (let kept = all[next]; kept !== undefined; kept = all[++next]) {
      const last = moves.at(-1)
      const [to, size] = [written, kept.bytes]
      written += size
      if (inSpare?.[next]?.at === to) continue
      if (last !== undefined && last.to + last.size === to)
        moves.splice(-1, 1, { ...last, size: last.size + size })
      else moves.push({ at: kept.at, size, to })
    }
    next++
    if (present === undefined || moves.length === 0) return Effect.void
    const copy = attempt(path, async () => {
      for (const { to, ...range } of moves) await copyRange(present, range, file, to, sync?.wrote)
    })
    return Effect.map(Effect.forkIn(Effect.uninterruptible(copy), scope), (fiber) => void copies.push(fiber))
  })
  yield* copyKept

  const take = (result: OrderResult) => {
    if (result.kind === "encoded") {
      if (order.isChecked) states.push(md5.state())
      if (result.sizes === undefined) return Effect.void
      rendered.push(result.sizes)
      return Effect.zipRight(writeHeld, copyKept)
    }
    if (result.kind !== "fed") return Effect.void
    const { bytes, isChecked, taken } = result
    if (isChecked)
      return Effect.sync(() => {
        md5.add(bytes)
        release(taken)
      })
    return Effect.ensuring(
      put(bytes),
      Effect.sync(() => release(taken))
    )
  }

  const finish = async () => {
    if (process.platform === "win32") await present?.close()
    const samples = checksum?.samples
    if (samples !== undefined)
      for await (const bytes of samplesIn(samples, () => states.push(md5.state()))) md5.add(bytes)
    const kept = splice?.sections.filter((section) => section !== undefined) ?? []
    const sums = {
      sizes: sumOf([...kept, ...rendered]),
      md5: order.isChecked || samples !== undefined ? md5.digest() : undefined
    }
    await writeFully(file, flacHeader(stream, sums), 0)
    // The spare may be longer.
    if (sync !== undefined) await file.truncate(written)
    await sync?.finish()
  }
  const completed = Effect.suspend(() => Effect.zipRight(Fiber.joinAll(copies), attempt(path, finish)))
  const flac: WrittenFlac = { rendered, states }
  return { take, flac, complete: Effect.as(Effect.uninterruptible(completed), place) }
})

/** Takes the spare as the file to write, and returns where its frames are; undefined if it is not used. */
const usedSpare = (splice: FrameSplice | undefined, made: string): FrameSplice["inSpare"] =>
  splice?.inSpare !== undefined && isMoved(splice.spare, made) ? splice.inSpare : undefined

/**
 * Opens the present version of a file. Once it is replaced, closing it frees its blocks. That takes some
 * hundredths of a second for a film, and nothing waits for it. Windows cannot replace an open file.
 */
const openPresent = (path: string) =>
  Effect.acquireRelease(
    attempt(path, () => open(path, "r")),
    (file) => Effect.sync(() => void file.close().catch(() => undefined))
  )

/** Bytes written at once: a step of the mix makes some thousand. */
const blockBytes = 512 * 1024

/** The sizes of the frames of all sections. */
const sumOf = (sections: ReadonlyArray<FrameSizes>): FrameSizes => {
  const some = sections.filter(({ bytes }) => bytes > 0)
  return {
    bytes: some.reduce((sum, { bytes }) => sum + bytes, 0),
    least: some.length === 0 ? 0 : Math.min(...some.map(({ least }) => least)),
    most: Math.max(0, ...some.map(({ most }) => most))
  }
}

/**
 * Yields the samples of sections from a WAV file: from its next version, if that is complete but not in place yet.
 * Calls `ended` after each section.
 */
async function* samplesIn(
  { path, sections }: NonNullable<ChecksumSplice["samples"]>,
  ended: () => void
): AsyncGenerator<Uint8Array> {
  const next = partOf(resolve(path))
  const file = await open(existsSync(next) ? next : path, "r")
  try {
    for (const range of sections) {
      yield* readRange(file, range)
      ended()
    }
  } finally {
    await file.close()
  }
}
