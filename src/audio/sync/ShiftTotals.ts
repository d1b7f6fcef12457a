/**
 * Totals of cues' evidence at every shift, added up by kernels. A film's evidence is copied to a memory of its own,
 * where the kernels read it.
 */
import { startKernels } from "../kernels/KernelMemory.ts"
import { evidenceRow, type FilmEvidence, type TimedSpan } from "./CueEvidence.ts"

/** The most shifts, and the layout of the memory, in bytes. */
const maxShifts = 8_192
const totalsAt = 0
const breaksAt = 8 * maxShifts
const recordsAt = 12 * maxShifts
/** The row of a cue that is partly far outside the film, or not allowed at some shifts. */
const spareSumsAt = 16 * maxShifts
const spareOnsetsAt = 32 * maxShifts
const evidenceAt = 40 * maxShifts

/** Where the evidence of a cue at its first shift is in the memory. */
interface Row {
  readonly starts: number
  readonly ends: number
  readonly onsets: number
}

/** Evidence in the memory. It is loaded again when another film's is needed. */
let loaded: WeakRef<FilmEvidence> | undefined
let kernels: ReturnType<typeof startKernels> | undefined

const loadedWith = (evidence: FilmEvidence) => {
  kernels ??= startKernels()
  const { memory } = kernels
  const { sums, onsets } = evidence
  const onsetsAt = evidenceAt + 8 * sums.length
  if (loaded?.deref() === evidence) return { kernels, onsetsAt }
  const lacking = onsetsAt + 4 * onsets.length + 64 - memory.buffer.byteLength
  if (lacking > 0) memory.grow(Math.ceil(lacking / 65_536))
  new Float64Array(memory.buffer, evidenceAt, sums.length).set(sums)
  new Float32Array(memory.buffer, onsetsAt, onsets.length).set(onsets)
  loaded = new WeakRef(evidence)
  return { kernels, onsetsAt }
}

/**
 * Totals at `shifts` shifts from `from` steps on. There is only one such object at a time: the next one overwrites its
 * arrays. The evidence must not change after its first use.
 */
export class ShiftTotals {
  /** The totals, from 0 on. */
  readonly totals: Float64Array
  /** For each shift, the number that `addOrJump` was given when it last raised its total. */
  readonly breakOf: Int32Array
  /** The shifts whose totals exceed those of all lower shifts; see `addOrJump`. */
  readonly records: Int32Array
  private readonly kernels
  private readonly onsetsAt: number
  private readonly spareOnsets: Float32Array

  constructor(
    private readonly evidence: FilmEvidence,
    readonly shifts: number,
    private readonly from: number
  ) {
    const { kernels, onsetsAt } = loadedWith(evidence)
    const { buffer } = kernels.memory
    this.kernels = kernels
    this.onsetsAt = onsetsAt
    this.totals = new Float64Array(buffer, totalsAt, shifts).fill(0)
    this.breakOf = new Int32Array(buffer, breaksAt, shifts).fill(0)
    this.records = new Int32Array(buffer, recordsAt, shifts)
    this.spareOnsets = new Float32Array(buffer, spareOnsetsAt, shifts)
  }

  /** Finds the evidence of a cue. At barred shifts, it is -Infinity. The next row may overwrite it. */
  rowOf(span: TimedSpan, barred: ReadonlyArray<number> = []): Row {
    const { perSecond, margin, onsets } = this.evidence
    const { shifts, spareOnsets } = this
    const first = Math.round(span.start * perSecond) + this.from + margin
    const length = Math.max(1, Math.round((span.end - span.start) * perSecond))
    if (first >= 0 && first + shifts + length <= onsets.length) {
      const starts = evidenceAt + 8 * first
      const ends = starts + 8 * length
      if (barred.length === 0) return { starts, ends, onsets: this.onsetsAt + 4 * first }
      spareOnsets.set(onsets.subarray(first, first + shifts))
      for (const k of barred) spareOnsets[k] = -Infinity
      return { starts, ends, onsets: spareOnsetsAt }
    }
    const { buffer } = this.kernels.memory
    evidenceRow(this.evidence, span, this.from, new Float64Array(buffer, spareSumsAt + 8 * maxShifts, shifts))
    new Float64Array(buffer, spareSumsAt, shifts).fill(0)
    spareOnsets.fill(0)
    for (const k of barred) spareOnsets[k] = -Infinity
    return { starts: spareSumsAt, ends: spareSumsAt + 8 * maxShifts, onsets: spareOnsetsAt }
  }

  /** Adds a cue's evidence to all totals. */
  add({ starts, ends, onsets }: Row): void {
    this.kernels.evidenced(totalsAt, starts, ends, onsets, this.shifts)
  }

  /**
   * Adds a cue's evidence to the totals of the shifts in [first, until). Totals below `highest` are raised to it first,
   * and `made` is noted for them. Shifts whose totals exceed `most` and those of all lower shifts are added to
   * `records`, which has `count` before. Returns how many it has then.
   */
  addOrJump(
    { starts, ends, onsets }: Row,
    first: number,
    until: number,
    highest: number,
    made: number,
    most: number,
    count: number
  ): number {
    const last = this.kernels.shifted(
      totalsAt,
      breaksAt,
      starts,
      ends,
      onsets,
      8 * first,
      8 * until,
      highest,
      made,
      most,
      recordsAt + 4 * count
    )
    const behind = (last - recordsAt) / 4
    for (let k = count; k < behind; k++) this.records[k] = this.records[k]! >> 3
    return behind
  }
}
