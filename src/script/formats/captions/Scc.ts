/** Parses Scenarist closed captions (SCC): CEA-608 as hexadecimal pairs behind timecodes. */
import { Notice } from "../../../domain/speech/Cue.ts"
import { frameRateNamed } from "../../../domain/time/FrameRate.ts"
import { excerpt } from "../../markup/CueLines.ts"
import { type FrameClock, millisOfTimecode, timecodeFields } from "../timed/FrameClock.ts"
import { type ReadSubtitle, subtitleOf, type TimedOptions } from "../timed/TimedLines.ts"
import { type CaptionPair, decodeCaptions } from "./Cea608.ts"

const codeLine = /^\s*(\d{1,2}[:;]\d{2}[:;]\d{2}[:;.,]\d{1,2})\s+((?:[\da-f]{4}\b\s*)*)(.*)$/iu

/** Parses a file's text. Reads the first channel that has captions. */
export const readScc = (text: string, options: TimedOptions = {}): ReadSubtitle => {
  const pairs: Array<CaptionPair> = []
  const notices: Array<Notice> = []
  const named = options.frameRate === undefined ? undefined : frameRateNamed(options.frameRate)
  const rate = named?.rate.value ?? 30_000 / 1001
  const nominal = named?.nominal ?? 30
  const plain: FrameClock = { rate, nominal }
  const dropping: FrameClock = { rate, nominal, ...(nominal % 30 === 0 ? { drop: "ntsc" } : {}) }
  let clock = plain
  text.split("\n").forEach((written, index) => {
    const line = index + 1
    if (written.trim() === "" || /^Scenarist_SCC/iu.test(written.trim())) return
    const [, time = "", codes = "", rest = ""] = codeLine.exec(written) ?? []
    const fields = timecodeFields(time)
    if (fields === undefined) {
      notices.push(
        Notice.make({
          line,
          message: `skipped "${excerpt(written)}": expected a timecode such as 00:00:01;00 and codes`
        })
      )
      return
    }
    if (rest.trim() !== "")
      notices.push(
        Notice.make({
          line,
          message: `skipped "${excerpt(rest)}": expected codes of four hexadecimal digits`
        })
      )
    const own = /[;,]/u.test(time) || named?.drop === true ? dropping : plain
    if (pairs.length === 0) clock = own
    const start = millisOfTimecode(fields, own)
    codes
      .split(/\s+/u)
      .filter((code) => code !== "")
      .forEach((code, place) => {
        const value = Number.parseInt(code, 16)
        pairs.push({
          line,
          at: start + (place * 1000) / own.rate,
          first: (value >> 8) & 0x7f,
          second: value & 0x7f
        })
      })
  })
  const first = decodeCaptions(pairs, 1)
  const captions = first.length > 0 ? first : decodeCaptions(pairs, 2)
  const lines = captions.map(({ line, start, end, text: words }) => ({
    line,
    start,
    end,
    turns: [{ speaker: undefined, text: words }]
  }))
  const expected =
    "no caption with text found in the SCC file; expected lines such as 00:00:01;00 9420 9420 c8e5 6c6c efae 942f"
  return subtitleOf(lines, notices, { isTimecode: true, clock }, options, expected)
}
