/**
 * Compares line fitting on real subtitles with the methods of other tools.
 *
 * Every file of ../shared/corpus/real is read as a job reads it. The duration of a line is estimated from its
 * characters, or measured on eSpeak NG's speech with `--spoken`. The other methods are reimplemented from their
 * published constants:
 *
 *     slot    each clip starts with its cue and is sped up to end before the next cue, at any speed
 *     borrow  borrows up to 1 s of the following pause, then speeds up
 *     greedy  up to 1.2 within the cue and the following pause, up to 1.5 beyond; the rest is cut off
 *     carry   up to 1.3; lines that are too long delay the next ones, which catch up in later pauses
 *
 *     node bench/run.mjs fit [folder] [--spoken] [--films [speakers]]
 *
 * `--films` prints what a director would change instead, film by film; with a number, films without names are shared
 * among that many speakers in turn. Spoken durations are cached.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Array, Either } from "effect"
import { fitLines } from "../src/audio/fit/LineFitting.ts"
import { harmOf } from "../test/audio/placers.ts"
import type { FitLine } from "../src/audio/fit/FitCost.ts"
import { FitLimits } from "../src/domain/speech/Placement.ts"
import { millis } from "../src/domain/time/Units.ts"
import { charactersOf } from "../src/domain/speech/Utterance.ts"
import { emptyLexicon } from "../src/script/spoken/Lexicon.ts"
import { readScript } from "../src/script/ScriptFile.ts"
import { endsSentence } from "../src/script/language/SentenceBoundaries.ts"
import { spokenWords } from "../src/script/spoken/SpokenWords.ts"
import { type Film, type FilmLine, printFitTable } from "./shared/fitTable.ts"
import { type LineLength, modelled, openSpoken } from "./shared/lineLengths.ts"

const limits = FitLimits.make({ maxSpeed: 1.3, hardMaxSpeed: 1.6, early: millis(300), late: millis(500) })

/** Where a method places a line; `lost` is the speech cut off, in milliseconds as recorded. */
interface Heard {
  readonly start: number
  readonly end: number
  readonly lost: number
}

type Method = (lines: ReadonlyArray<FitLine>) => ReadonlyArray<Heard>

/** The lines of one speaker in one file. */
interface Track {
  readonly file: string
  readonly lines: ReadonlyArray<FitLine>
}

/** Returns the start of the next line's slot, but not before this one's. */
const nextStart = (lines: ReadonlyArray<FitLine>, index: number): number =>
  Math.max(lines[index + 1]?.start ?? Infinity, lines[index]?.start ?? 0)

const inRoom = (line: FitLine, room: number): Heard => {
  const duration = Math.max(1, Math.min(line.length, Math.max(room, line.length / 100)))
  return { start: line.start, end: line.start + duration, lost: 0 }
}

const methods: Readonly<Record<string, Method>> = {
  ours: (lines) => fitLines(lines, limits).map(({ start, end }) => ({ start, end, lost: 0 })),
  slot: (lines) => lines.map((line, i) => inRoom(line, nextStart(lines, i) - line.start)),
  borrow: (lines) =>
    lines.map((line, i) => inRoom(line, Math.min(nextStart(lines, i), line.end + 1_000) - line.start)),
  greedy: (lines) =>
    lines.map((line, i) => {
      const room = Math.max(1, nextStart(lines, i) - line.start)
      const speed = line.length / room <= 1.2 ? Math.max(1, line.length / room) : 1.5
      const wanted = line.length / speed
      const duration = Math.min(wanted, room)
      return { start: line.start, end: line.start + duration, lost: (wanted - duration) * speed }
    }),
  carry: (lines) => {
    let free = 0
    return lines.map((line, i) => {
      const start = Math.max(free, line.start)
      const room = Math.max(nextStart(lines, i), line.end) - start
      free = start + Math.min(line.length, Math.max(line.length / 1.3, room))
      return { start, end: free, lost: 0 }
    })
  }
}

/** Reads a file's lines, in order; none if the file is rejected. Its folder is its language. */
const linesIn = async (
  file: string,
  name: string,
  lengthOf: LineLength
): Promise<ReadonlyArray<FilmLine>> => {
  const script = readScript(readFileSync(file), file)
  if (Either.isLeft(script)) return []
  const parts = spokenWords(script.right, { bilingual: "second" }, emptyLexicon).cues.flatMap((cue) =>
    "parts" in cue ? cue.parts : []
  )
  const language = name.split("/")[0] ?? ""
  const spoken: Array<FilmLine> = []
  for (const few of Array.chunksOf(parts, 8))
    for (const one of await Promise.all(
      few.map(async ({ speaker = "", said, slot }) => ({
        speaker,
        said,
        slot,
        length: await lengthOf(said, language)
      }))
    ))
      if (one.slot !== undefined)
        spoken.push({
          speaker: one.speaker,
          line: { ...one.slot, length: one.length, characters: charactersOf(one.said) },
          endsSentence: endsSentence(one.said)
        })
  return spoken.filter(({ line }) => line.length > 0).sort((a, b) => a.line.start - b.line.start)
}

/** Divides a film's lines by speaker. */
const tracksOf = ({ name, lines }: Film): ReadonlyArray<Track> =>
  Object.values(Array.groupBy(lines, ({ speaker }) => speaker)).map((track) => ({
    file: name,
    lines: track.map(({ line }) => line)
  }))

/**
 * Returns the cost that `fitLines` minimizes, plus lost words, which its limits rule out. Words are lost if speech is
 * cut off, overlaps the same speaker's next line, or is too long even at the hard limit. A second of it costs 1,000.
 */
const harmOfAll = (lines: ReadonlyArray<FitLine>, heard: ReadonlyArray<Heard>): number => {
  const kept = lines.map((line, i) => ({ ...line, length: millis(line.length - (heard[i]?.lost ?? 0)) }))
  const lost = Array.zipWith(
    kept,
    heard,
    ({ length }, { start, end, lost }) => lost + Math.max(0, length - limits.hardMaxSpeed * (end - start) - 1)
  )
  const drowned = heard.map(({ end }, i) => overlapOf(end, heard[i + 1]))
  return harmOf(kept, heard, limits) + [...lost, ...drowned].reduce((sum, harm) => sum + harm, 0)
}

const overlapOf = (end: number, next: Heard | undefined): number =>
  next === undefined ? 0 : Math.max(0, Math.round(end) - Math.round(next.start))

/**
 * Returns which lines can fit at all, and which fit without changes. A line can fit if it ends in time when every line
 * is spoken at maximum speed, as early as possible. It fits without changes if its speech is no longer than its slot,
 * and nothing before it needs the slot.
 */
const fitting = (
  lines: ReadonlyArray<FitLine>
): ReadonlyArray<{ readonly can: boolean; readonly fits: boolean }> => {
  let free = 0
  let slotEnd = 0
  return lines.map((line) => {
    const fits = line.length <= line.end - line.start && free <= line.start && slotEnd <= line.start
    free = Math.max(free, line.start - limits.early) + line.length / limits.maxSpeed
    slotEnd = line.end
    return { can: free <= line.end + limits.late, fits }
  })
}

const percentile = (values: ReadonlyArray<number>, share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0

const share = (values: ReadonlyArray<number>, test: (value: number) => boolean): string =>
  `${((100 * values.filter(test).length) / Math.max(1, values.length)).toFixed(1)} %`

const rowOf = (tracks: ReadonlyArray<Track>, method: Method): Record<string, string | number> => {
  const began = process.cpuUsage().user
  const placed = tracks.map((track) => ({ ...track, heard: method(track.lines), can: fitting(track.lines) }))
  const seconds = (process.cpuUsage().user - began) / 1e6
  const lines = placed.flatMap(({ lines, heard, can }) =>
    lines.flatMap((line, i) => {
      const [at, before, fit] = [heard[i], heard[i - 1], can[i]]
      if (at === undefined || fit === undefined) return []
      const speed = (line.length - at.lost) / (at.end - at.start)
      const last = lines[i - 1]
      const speedBefore =
        before === undefined || last === undefined
          ? undefined
          : (last.length - before.lost) / (before.end - before.start)
      return [
        {
          ...fit,
          shift: Math.abs(at.start - line.start),
          tail: Math.max(0, at.end - line.end),
          speed,
          step: speedBefore === undefined ? undefined : Math.abs(speed - speedBefore),
          canBefore: can[i - 1]?.can ?? true,
          lost: at.lost > 1 ? 1 : 0,
          overlap: overlapOf(at.end, heard[i + 1]) > 0 ? 1 : 0
        }
      ]
    })
  )
  const shifts = lines.map(({ shift }) => shift)
  const speeds = lines.map(({ speed }) => speed)
  const able = lines.filter(({ can }) => can)
  const sum = (values: ReadonlyArray<number>) => values.reduce((a, b) => a + b, 0)
  const steps = able.flatMap(({ step, canBefore }) => (step === undefined || !canBefore ? [] : [step]))
  return {
    "within 100 ms": share(shifts, (shift) => shift <= 100),
    "within 250 ms": share(shifts, (shift) => shift <= 250),
    "onset p95 / max, ms": `${percentile(shifts, 0.95).toFixed(0)} / ${Math.max(...shifts).toFixed(0)}`,
    "onset p95 of cues that fit, ms": percentile(
      lines.filter(({ fits }) => fits).map(({ shift }) => shift),
      0.95
    ).toFixed(0),
    "speed p50 / p95 / max": [0.5, 0.95, 1].map((p) => percentile(speeds, p).toFixed(2)).join(" / "),
    "faster than recorded": share(speeds, (speed) => speed > 1.005),
    "over 1.3": share(speeds, (speed) => speed > 1.3005),
    "over 1.6": share(speeds, (speed) => speed > 1.6005),
    "speed step p95 (can fit)": percentile(steps, 0.95).toFixed(3),
    "tail p95 (can fit), ms": percentile(
      able.map(({ tail }) => tail),
      0.95
    ).toFixed(0),
    "overruns (tail over 0.5 s)": share(
      lines.map(({ tail }) => tail),
      (tail) => tail > limits.late
    ),
    overlaps: sum(lines.map(({ overlap }) => overlap)),
    "lines cut": sum(lines.map(({ lost }) => lost)),
    harm: sum(placed.map(({ lines, heard }) => harmOfAll(lines, heard))).toFixed(0),
    "CPU seconds": seconds.toFixed(2)
  }
}

const words = process.argv.slice(2)

/** Prints the comparison; returns 1 if another method costs less on any file, else 0. */
export const main = async (folder: string, lengthOf: LineLength): Promise<number> => {
  if (!existsSync(folder)) {
    console.log(`no subtitles at ${folder}: nothing to measure`)
    return 0
  }
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(srt|vtt|ass)$/u.test(file))
    .sort()
  const films: Array<Film> = []
  for (const file of files) {
    const lines = await linesIn(join(folder, file), file, lengthOf)
    if (lines.length > 0) films.push({ name: file, lines })
  }
  if (words.includes("--films")) {
    const speakers = Number(words.find((word) => /^\d+$/u.test(word)) ?? 1)
    const shared = films.map(({ name, lines }) => ({
      name,
      lines: lines.map((line, at) => (line.speaker === "" ? { ...line, speaker: `${at % speakers}` } : line))
    }))
    printFitTable(shared, (lines) =>
      fitLines(
        lines.map(({ line, speaker, endsSentence }) => ({ ...line, speaker, endsSentence })),
        FitLimits.make({ ...limits, minSpeed: Number(process.env["MIN"] ?? 1) })
      )
    )
    return 0
  }
  const tracks = films.flatMap(tracksOf)
  const count = tracks.reduce((sum, { lines }) => sum + lines.length, 0)
  const fits = tracks.flatMap(({ lines }) => fitting(lines))
  console.log(
    `${files.length} files, ${count} lines; ${fits.filter(({ can }) => can).length} can fit, ${fits.filter(({ fits }) => fits).length} fit unchanged\n`
  )

  const names = Object.keys(methods)
  const rows = Object.values(methods).map((method) => rowOf(tracks, method))
  const measures = Object.keys(rows[0] ?? {})
  const width = Math.max(...measures.map((measure) => measure.length))
  console.log(["".padEnd(width), ...names.map((name) => name.padStart(22))].join(""))
  for (const measure of measures)
    console.log([measure.padEnd(width), ...rows.map((row) => String(row[measure]).padStart(22))].join(""))

  const byFile = Object.values(Array.groupBy(tracks, ({ file }) => file))
  const worse = byFile.flatMap((parts) => {
    const harms = Object.entries(methods).map(([name, method]) => ({
      name,
      harm: parts.reduce((sum, { lines }) => sum + harmOfAll(lines, method(lines)), 0)
    }))
    const ours = harms.find(({ name }) => name === "ours")?.harm ?? 0
    return harms
      .filter(({ harm }) => harm < ours - 1e-6)
      .map(({ name, harm }) => `${parts[0].file}: ${name} ${harm.toFixed(3)}, ours ${ours.toFixed(3)}`)
  })
  console.log(`\n${byFile.length} files with timed lines; another method costs less on ${worse.length}`)
  for (const line of worse) console.log(line)
  return worse.length === 0 ? 0 : 1
}

const folder = words.find((word) => !/^(?:-|\d+$)/u.test(word)) ?? "../shared/corpus/real"
if (words.includes("--spoken")) {
  const { lengthOf, close } = await openSpoken()
  process.exitCode = await main(folder, lengthOf)
  close()
} else process.exitCode = await main(folder, modelled)
