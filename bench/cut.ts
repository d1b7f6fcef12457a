/**
 * Measures how accurately merged utterances are cut into their cues, with engines that report the true time of each
 * word.
 *
 * Two to four neighbouring cues of real subtitles are spoken as one sentence, and cut again in three ways: by the
 * engine's own times, by times up to 30 ms off, and by pauses alone. A cut is correct if it is within 30 ms of the gap
 * between the last word before it and the first word after it.
 *
 *     node bench/run.mjs cut [folder]
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Array, Either } from "effect"
import { type CutHints, splitClip } from "../src/audio/speech/ClipSplitting.ts"
import { fromInt16, type Pcm } from "../src/audio/pcm/Pcm.ts"
import { type Millis, millis } from "../src/domain/time/Units.ts"
import { openEspeak } from "../src/engines/local/EspeakThread.ts"
import { openFlite } from "../src/engines/local/FliteThread.ts"
import type { Synthesizer } from "../src/engines/local/EngineProtocol.ts"
import { emptyLexicon } from "../src/script/spoken/Lexicon.ts"
import { readScript } from "../src/script/ScriptFile.ts"
import { spokenWords } from "../src/script/spoken/SpokenWords.ts"

interface Time {
  readonly start: Millis
  readonly end: Millis
}

/** Cues spoken as one sentence, with the true time of each. */
interface Merged {
  readonly pcm: Pcm
  readonly said: ReadonlyArray<string>
  readonly times: ReadonlyArray<Time>
}

const saidIn = (file: string): ReadonlyArray<string> =>
  Either.match(readScript(readFileSync(file), file), {
    onLeft: () => [],
    onRight: (script) =>
      spokenWords(script, {}, emptyLexicon).cues.flatMap((cue) =>
        "parts" in cue ? cue.parts.map(({ said }) => said) : []
      )
  })

/** Speaks the cues as one sentence; returns nothing if the engine does not report the times of each cue. */
const speak = (engine: Synthesizer, voice: string, said: ReadonlyArray<string>): ReadonlyArray<Merged> => {
  const words = said.map((cue) => cue.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word)))
  const pieces = words.flat().map((text, i) => ({ text, spaced: i > 0, english: false }))
  const spoken = engine.speak({ _tag: "Sentence", voice, rate: 1, pitch: 0, pieces })
  let from = 0
  const times = words.flatMap((cue): ReadonlyArray<Time> => {
    const first = spoken.spans[from]
    const last = spoken.spans[from + cue.length - 1]
    from += cue.length
    return !first || !last ? [] : [{ start: millis(first.start), end: millis(last.end) }]
  })
  const pcm = { rate: spoken.rate, samples: fromInt16(spoken.samples) }
  return times.length === said.length ? [{ pcm, said, times }] : []
}

/** Returns the error of each cut, in milliseconds; empty if the parts were kept together. */
const errorsOf = ({ pcm, said, times }: Merged, hints: CutHints): ReadonlyArray<number> => {
  const { segments } = splitClip(pcm, said.length, hints)
  const position = (frames: number) => (frames * 1000) / pcm.rate
  return segments.slice(1).flatMap((segment, i) => {
    const [before, ended, next] = [segments[i], times[i], times[i + 1]]
    if (before === undefined || ended === undefined || next === undefined) return []
    const cut = position((before.to + segment.from) / 2)
    return [Math.max(0, ended.end - cut, cut - next.start)]
  })
}

/** Shifts the times by up to `most` milliseconds each, deterministically. */
const shifted = (times: ReadonlyArray<Time>, most: number): ReadonlyArray<Time> =>
  times.map(({ start, end }) => ({
    start: millis(start + most * Math.sin(start)),
    end: millis(end + most * Math.sin(end + 1))
  }))

const ways: Readonly<Record<string, (merged: Merged) => CutHints>> = {
  "true times": ({ times, said }) => ({ expected: times, said }),
  "times up to 30 ms off": ({ times, said }) => ({ expected: shifted(times, 30), said }),
  "no times, by pauses": ({ said }) => ({ said })
}

/** Prints the share of correct cuts for each engine and way. */
export const main = async (folder: string): Promise<void> => {
  if (!existsSync(folder)) {
    console.log(`no subtitles at ${folder}: nothing to measure`)
    return
  }
  const [espeak, flite] = await Promise.all([openEspeak(), openFlite()])
  const sources = [
    { name: "eSpeak NG, English", engine: espeak, voice: "en-us", file: "en/hf-course-02.en.srt" },
    { name: "eSpeak NG, Vietnamese", engine: espeak, voice: "vi", file: "vi/tor-animation.part1.vi.srt" },
    { name: "Flite SLT", engine: flite, voice: "slt", file: "en/elephants-dream.en.vtt" },
    { name: "Flite RMS", engine: flite, voice: "rms", file: "en/hf-course-07.en.srt" }
  ]
  for (const { name, engine, voice, file } of sources) {
    const groups = Array.chunksOf(saidIn(join(folder, file)).slice(0, 90), 3).filter(
      ({ length }) => length > 1
    )
    const merged = groups.flatMap((said) => speak(engine, voice, said))
    const cuts = merged.reduce((sum, { said }) => sum + said.length - 1, 0)
    console.log(`\n${name}: ${merged.length} utterances, ${cuts} cuts`)
    for (const [way, hints] of Object.entries(ways)) {
      const errors = merged.flatMap((one) => errorsOf(one, hints(one))).sort((a, b) => a - b)
      const right = errors.filter((error) => error <= 30).length
      const p95 = errors[Math.floor((errors.length - 1) * 0.95)] ?? 0
      console.log(
        `  ${way.padEnd(24)} ${errors.length} made, ${((100 * right) / Math.max(1, errors.length)).toFixed(1)} % within 30 ms, p95 ${p95.toFixed(0)} ms`
      )
    }
  }
}

await main(process.argv[2] ?? "../shared/corpus/real")
