/** Inside an engine's thread: speaks a text as a reference, and finds its pieces in a clip of the same text. */
import { Either } from "effect"
import { alignSpeech, speechFrames } from "../../../audio/alignment/SpeechAlignment.ts"
import type { Sound } from "../../../audio/alignment/SpeechSpectra.ts"
import { placeWords, type ReferenceWord } from "../../../audio/alignment/WordPlacement.ts"
import { joinedInt16 } from "../../../audio/formats/Int16.ts"
import { decodeWav } from "../../../audio/formats/Wav.ts"
import {
  type AlignedSpeech,
  type AlignJob,
  JobRefused,
  type Piece,
  type Synthesizer
} from "../EngineProtocol.ts"
import { sharedSpans } from "../SentenceSpeech.ts"

/** Silence between two parts of the reference, in milliseconds. */
const between = 100
/** Longest clip and reference that are aligned, in seconds; their comparison takes memory. */
const longest = 180

/** Finds the pieces in the clip. Refuses a sound that cannot be decoded, and a text that the voice cannot speak. */
export const alignWithReference = (
  synthesizer: Synthesizer,
  { voice, parts, sound, compare }: AlignJob
): Omit<AlignedSpeech, "_tag"> => {
  const heard = decoded(sound)
  if (heard.samples.length > longest * heard.rate) throw new JobRefused("the clip is too long to be aligned")
  const { frames, words, counts } = reference(synthesizer, voice, parts)
  const clip = speechFrames(heard)
  const alignment = alignSpeech(frames, clip)
  const placed = placeWords(words, alignment, clip)
  let at = 0
  return {
    spans: parts.map((pieces, part) => {
      const own = placed.slice(at, at + (counts[part] ?? 0))
      at += own.length
      return own.length === 0 ? pieces.map(() => null) : own
    }),
    distance: alignment.cost,
    ratio: alignment.ratio,
    skipped: alignment.skipped / 1000,
    added: alignment.added / 1000,
    strangeness: compare
      ? alignment.cost / alignSpeech(reference(synthesizer, voice, backwards(parts)).frames, clip).cost
      : null
  }
}

const decoded = (sound: AlignJob["sound"]): Sound => {
  if (!(sound instanceof Uint8Array)) return sound
  return Either.getOrThrowWith(decodeWav(sound), ({ message }) => new JobRefused(message))
}

/** Speaks the parts. `counts` has how many words each part has: all of its pieces, or none. */
const reference = (synthesizer: Synthesizer, voice: string, parts: ReadonlyArray<ReadonlyArray<Piece>>) => {
  const blocks: Array<Int16Array> = []
  const words: Array<ReferenceWord> = []
  const counts: Array<number> = []
  let rate = 0
  let length = 0
  for (const pieces of parts) {
    const spoken = synthesizer.speak({ _tag: "Sentence", voice, rate: 1, pitch: 0, pieces })
    const isMute = spoken.spans.every((span) => span === null)
    counts.push(isMute ? 0 : pieces.length)
    if (isMute) continue
    rate = spoken.rate
    if (length > longest * rate) throw new JobRefused("the text is too long to be aligned")
    const offset = (length * 1000) / rate
    for (const [index, { start, end }] of sharedSpans(pieces, spoken.spans).entries())
      words.push({
        start: offset + start,
        end: offset + end,
        pauses: index === pieces.length - 1 || endsClause.test(pieces[index]?.text ?? "")
      })
    const silence = new Int16Array(Math.round((rate * between) / 1000))
    blocks.push(spoken.samples, silence)
    length += spoken.samples.length + silence.length
  }
  if (rate === 0) throw new JobRefused("the voice cannot speak the text")
  return { frames: speechFrames({ rate, samples: joinedInt16(blocks) }), words, counts }
}

const endsClause = /[^\p{L}\p{N}\p{M}\s]["'”’»)\]]*$/u

/** Returns the same words in the opposite order, without punctuation: another text of the same length. */
const backwards = (parts: ReadonlyArray<ReadonlyArray<Piece>>): ReadonlyArray<ReadonlyArray<Piece>> =>
  parts.toReversed().map((pieces) =>
    pieces.toReversed().flatMap((piece) => {
      const text = piece.text.replace(/[^\p{L}\p{N}\p{M}]+$/u, "")
      return text === "" ? [] : [{ ...piece, text }]
    })
  )
