/** Transcribes one clip until its faults can be distinguished from the recogniser's errors. */
import { Effect, Option } from "effect"
import type { Clip } from "../../../domain/speech/Clip.ts"
import type { ClipHearing } from "../../../domain/speech/Hearing.ts"
import { HelperFailed } from "../../../engines/helpers/HelperFailed.ts"
import type { Recogniser } from "../../../engines/recognition/Recogniser.ts"
import { judgeHearings } from "../../../script/heard/ConfirmedFaults.ts"
import { compareHeard, type ExpectedWords, type HeardText } from "../../../script/heard/HeardFaults.ts"
import { ClipFolder } from "../../../store/files/ClipFolder.ts"
import {
  keepTranscripts,
  storedTranscripts,
  type StoredTranscript
} from "../../../store/tables/Transcripts.ts"

/**
 * Playback speeds at which a clip is heard in turn. A recogniser that repeats its errors then hears a different sound,
 * so it makes other errors.
 */
const speeds = [1, 0.95, 1.05, 0.9]

/** Listens to a clip. Transcripts of earlier runs are used first, and each new one is stored. */
export const listenToClip = Effect.fn("ClipListener.listenToClip")(function* (
  recogniser: Recogniser,
  clip: Clip,
  expected: ExpectedWords
) {
  const texts: Array<StoredTranscript> = [...(yield* storedTranscripts(clip.checksum, recogniser.identity))]
  for (;;) {
    const [first, ...others] = texts
    const judgement = first === undefined ? undefined : judgeHearings(expected, [first, ...others])
    if (judgement?._tag === "Heard") return { parts: judgement.parts } satisfies ClipHearing
    const wav = yield* storedAudio(clip)
    if (Option.isNone(wav))
      return yield* new HelperFailed({ reason: "one", detail: "the clip's file is missing or damaged" })
    const heard = yield* recogniser.hear(
      atSpeed(wav.value, speeds[texts.length % speeds.length] ?? 1),
      first !== undefined && isOtherText(expected, first) ? undefined : expected.language
    )
    texts.push({ text: heard.text, ...(heard.language === undefined ? {} : { language: heard.language }) })
    yield* keepTranscripts(clip.checksum, recogniser.identity, texts)
  }
})

/** Whether a transcript may be in another language. If so, the recogniser is asked to detect the language. */
const isOtherText = (expected: ExpectedWords, text: HeardText): boolean =>
  compareHeard(expected, text).faults.some(({ kind }) => kind === "wrong-line" || kind === "language")

/** Position of the sample rate in the header of a clip's file, and of the bytes per second behind it. */
const rateAt = 24

/** Returns a WAV file that plays faster or slower: its samples are declared to have another rate. */
const atSpeed = (wav: Uint8Array, speed: number): Uint8Array => {
  if (speed === 1) return wav
  const view = new DataView(wav.buffer, wav.byteOffset, wav.byteLength)
  const rate = Math.round(view.getUint32(rateAt, true) * speed)
  view.setUint32(rateAt, rate, true)
  view.setUint32(rateAt + 4, rate * view.getUint16(rateAt + 8, true), true)
  return wav
}

/** Counts the faults in a clip; none if it was not heard. */
export const faultCount = (hearing: ClipHearing | undefined): number =>
  hearing === undefined || "unheard" in hearing
    ? 0
    : hearing.parts.reduce((sum, { faults }) => sum + faults.length, 0)

/** Describes the faults of a clip in one line. */
export const faultWords = (hearing: ClipHearing): string =>
  "unheard" in hearing
    ? ""
    : hearing.parts
        .flatMap(({ faults }) => faults.map(({ kind, words }) => `${kind} "${words}"`))
        .join(", ")
        .slice(0, 400)

/** Returns a copy of a clip's file; none if the file is missing or damaged. */
export const storedAudio = (clip: Clip) =>
  Effect.flatMap(ClipFolder, (clips) =>
    Effect.map(
      clips.reading((reader) => reader.read(clip.key, clip.checksum, (bytes) => Uint8Array.from(bytes))),
      Option.fromNullable
    )
  )
