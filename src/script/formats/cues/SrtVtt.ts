/** Parses SRT, WebVTT and SBV files into cues. */
import { Array, Either } from "effect"
import type { NonEmptyReadonlyArray } from "effect/Array"
import { Cue, LostCue, type ScriptFault, Subtitle, noticeAt } from "../../../domain/speech/Cue.ts"
import { millis } from "../../../domain/time/Units.ts"
import { cueBlocks } from "./CueBlocks.ts"
import type { CueBlock } from "./CueScan.ts"
import { turnsOfMarkup } from "../../markup/CueMarkup.ts"
import { inOrder, cueVoices } from "../../markup/CueVoices.ts"
import { clockIn, knownClock, knownRate, type KnownRates } from "../timed/FrameClock.ts"
import { lostCues } from "./LostBlocks.ts"
import type { TimingStyle } from "./TimingLine.ts"
import { skipValidation } from "../../../domain/values/SkipValidation.ts"

/** Parses a file's text; fails with every fault if no cue can be read. */
export const readSrtVtt = (
  text: string,
  style: TimingStyle,
  options: KnownRates = {}
): Either.Either<Subtitle, NonEmptyReadonlyArray<ScriptFault>> => {
  const clock = knownRate(options) === undefined ? undefined : clockIn(text, knownClock(options))
  return Either.map(cueBlocks(text, style, clock), ({ blocks, lost, notices }) => {
    const numbers = numbersOf(blocks)
    const cues = blocks.map((block, i) => cueOf(block, numbers.of(i, block), style))
    const untimed = lostCues(lost, blocks, cues, (text) => spokenBy(text, style))
    const [read, unread] = Array.partition(cues, (cue) => cue instanceof LostCue)
    return Subtitle.make({
      format: style === "vtt" ? "vtt" : "srt",
      cues: inOrder(read),
      lost: [...unread, ...untimed],
      notices: [...notices, ...numbers.notices].sort((a, b) => a.line - b.line)
    })
  })
}

const cueOf = (block: CueBlock, index: number, style: TimingStyle): Cue | LostCue => {
  const { line, why } = block
  const times = { start: millis(block.start), end: millis(block.end) }
  const cue = { index, ...times, line, ...spokenBy(block.lines.join("\n"), style) }
  return why === undefined ? Cue.make(cue, skipValidation) : LostCue.make({ ...cue, why }, skipValidation)
}

const spokenBy = (text: string, style: TimingStyle) =>
  cueVoices(turnsOfMarkup(style === "vtt" ? text : text.replace(/\[br\]/giu, "\n")))

/** The file's own numbers if every cue has a unique one, otherwise positions from 1. */
const numbersOf = (blocks: ReadonlyArray<CueBlock>) => {
  const seen = new Set<number>()
  const repeated = blocks.find(({ number }) => {
    if (number === undefined) return false
    if (seen.has(number)) return true
    seen.add(number)
    return false
  })
  const areOwn = repeated === undefined && seen.size === blocks.length
  return {
    of: (position: number, { number }: CueBlock) => (areOwn ? number : undefined) ?? position + 1,
    notices:
      repeated === undefined
        ? []
        : [
            noticeAt(
              repeated.line,
              `cue number ${repeated.number ?? ""} occurs twice; cues are numbered by position instead`
            )
          ]
  }
}
