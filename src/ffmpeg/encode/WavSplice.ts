/**
 * Completes a WAV file after only some of its sections were rendered: the others come from an earlier version of the
 * file. The file itself is not changed.
 */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync } from "node:fs"
import { copyFile, open } from "node:fs/promises"
import { convertPart } from "../../audio/formats/OutputConversion.ts"
import type { Section } from "../../audio/pcm/Section.ts"
import { syncToDisk } from "../../system/AtomicFile.ts"
import { copyRange, type FileRange } from "./FileRanges.ts"
import { isMoved } from "./SpareFile.ts"
import { type WavOrder, writeAll } from "./WavWriter.ts"

/** How to complete a WAV file. */
export interface Splice {
  /** The sections that are rendered. In all others, the present file has the right samples. */
  readonly sections: ReadonlyArray<Section>
  /** Path of the file that receives the rendered sections. */
  readonly patch: string
  /** Path of the version before the present one. It is kept so that the next edit need not copy the file. */
  readonly spare: string
  /**
   * The other sections in which the spare does not have the right samples. They are copied from the present file.
   * Undefined if the spare is not used.
   */
  readonly outdated: ReadonlyArray<Section> | undefined
  /**
   * Whether the file almost certainly changes, so that an earlier version can be prepared before the sections are
   * rendered.
   */
  readonly changes: boolean
}

/** Copies the present version of a file; shares its blocks if the file system can. */
export const copyPresent = (path: string, made: string): Promise<void> =>
  copyFile(path, made, constants.COPYFILE_FICLONE)

/**
 * Copies the sections in which a spare is outdated from the present version of the file, in other threads. `made` is
 * the spare.
 */
export const updateSpare = async (
  order: WavOrder,
  outdated: ReadonlyArray<Section>,
  made: string
): Promise<void> => {
  const present = await open(order.path, "r")
  try {
    const file = await open(made, "r+")
    try {
      for (const range of sectionRanges(order, outdated)) await copyRange(present, range, file, range.at)
    } finally {
      await file.close()
    }
  } finally {
    await present.close()
  }
}

/**
 * Makes the new version of a WAV file from `order.part`, which holds its header and the rendered sections, as the file
 * `made`. `isCopied` tells whether that is a copy of the present file already. Returns false if the present file is the
 * new version. Throws file system errors.
 */
export const spliceWav = async (
  order: WavOrder,
  { sections, spare, outdated }: Splice,
  made: string,
  isCopied: boolean
): Promise<boolean> => {
  const { ranges, size } = layoutOf(order, sections)
  const patch = openSync(order.part, "r")
  try {
    if (!isCopied && holds(order.path, patch, ranges, size)) return false
    const isSpare = !isCopied && outdated !== undefined && isMoved(spare, made)
    if (isSpare) await updateSpare(order, outdated, made)
    else if (!isCopied) await copyPresent(order.path, made)
    const file = openSync(made, "r+")
    try {
      ftruncateSync(file, size)
      for (const range of ranges)
        for (const { bytes, at } of blocksOf(patch, range)) writeAll(file, bytes, at)
      if (isSpare) await syncToDisk(file)
    } finally {
      closeSync(file)
    }
    return true
  } finally {
    closeSync(patch)
  }
}

/** Returns the size of a WAV file, and the ranges of its header, of these sections and of the padding at its end. */
const layoutOf = (order: WavOrder, sections: ReadonlyArray<Section>) => {
  const samples = order.to.frames * frameBytes(order)
  const end = order.dataAt + samples
  const ranges: ReadonlyArray<FileRange> = [
    { at: 0, size: order.dataAt },
    ...sectionRanges(order, sections),
    { at: end, size: samples % 2 }
  ]
  return { ranges, size: end + (samples % 2) }
}

const frameBytes = ({ from, to }: WavOrder): number => (from.channels * to.depth) / 8

/** Returns the ranges of these sections. */
export const sectionRanges = (
  order: WavOrder,
  sections: ReadonlyArray<Section>
): ReadonlyArray<FileRange> => {
  const { from, to, length, dataAt } = order
  return sections.map((section) => {
    const { part, frames } = convertPart(to, from.rate, length, section)
    return { at: dataAt + part.at * frameBytes(order), size: frames * frameBytes(order) }
  })
}

/** Whether a file has this size, and the same bytes in these ranges as `patch`. */
const holds = (path: string, patch: number, ranges: ReadonlyArray<FileRange>, size: number): boolean => {
  const file = openSync(path, "r")
  try {
    if (fstatSync(file).size !== size) return false
    const held = Buffer.alloc(blockBytes)
    for (const range of ranges)
      for (const { bytes, at } of blocksOf(patch, range)) {
        const got = readSync(file, held, 0, bytes.length, at)
        if (got < bytes.length || bytes.compare(held, 0, got) !== 0) return false
      }
    return true
  } finally {
    closeSync(file)
  }
}

const blockBytes = 1024 * 1024

const incomplete = "a section's samples are incomplete"

/** Yields a range of a file block by block. A block is valid until the next. */
function* blocksOf(file: number, { at, size }: FileRange) {
  const block = Buffer.alloc(Math.min(size, blockBytes))
  for (let done = 0; done < size;) {
    const got = readSync(file, block, 0, Math.min(block.length, size - done), at + done)
    if (got === 0) throw new Error(incomplete)
    yield { bytes: block.subarray(0, got), at: at + done }
    done += got
  }
}
