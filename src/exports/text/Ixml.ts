/** iXML chunk of an audio file: scene, take, speaker and timecode, as recorders write them and editors read them. */
import type { FrameRate } from "../../domain/time/FrameRate.ts"
import type { Frames, SampleRate } from "../../domain/time/Units.ts"
import { labelled, oneLine } from "./SingleLineText.ts"
import { xmlElement } from "./Xml.ts"

/** Metadata of a clip. */
export interface ClipNote {
  /** The job's id. */
  readonly project: string
  readonly cue: number
  /** From 1; a cue spoken in several pieces has several parts. */
  readonly part: number
  readonly speaker: string
  /** The text as in the source. */
  readonly text: string
  /** The gain applied to all clips of the job, in dB. */
  readonly gain: number
}

/** The position of a file's first audio frame, and how the film's timecode counts. */
export interface ClipTime {
  readonly rate: SampleRate
  /** Bits per sample. */
  readonly depth: number
  /** Lines on how the sound was made, as in the bext chunk. */
  readonly codingHistory: ReadonlyArray<string>
  /** In audio frames since midnight of the film's timecode. */
  readonly timeReference: Frames
  readonly frameRate: FrameRate
}

/**
 * Encodes the content of an iXML chunk (http://www.gallery.co.uk/ixml/). SCENE is the cue's number, TAKE its part, NOTE
 * its text. The single track is named after the speaker. USER, which is free text, holds the gain. DaVinci Resolve,
 * Reaper, Pro Tools and Soundminer show these fields. The BEXT object holds the bext chunk's description in
 * full, not as 256 bytes of ASCII.
 */
export const ixml = (
  { project, cue, part, speaker, text, gain }: ClipNote,
  { rate, depth, codingHistory, timeReference, frameRate }: ClipTime
): string => {
  const pictures = `${frameRate.rate.numerator}/${frameRate.rate.denominator}`
  return xmlElement("BWFXML", {
    IXML_VERSION: "1.61",
    PROJECT: oneLine(project),
    SCENE: `${cue}`,
    TAKE: `${part}`,
    NOTE: oneLine(text),
    USER: `gain ${gain.toFixed(decimals)} dB`,
    SPEED: {
      MASTER_SPEED: pictures,
      CURRENT_SPEED: pictures,
      TIMECODE_RATE: pictures,
      TIMECODE_FLAG: frameRate.drop ? "DF" : "NDF",
      FILE_SAMPLE_RATE: `${rate}`,
      AUDIO_BIT_DEPTH: `${depth}`,
      DIGITIZER_SAMPLE_RATE: `${rate}`,
      TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_HI: `${Math.floor(timeReference / 2 ** 32)}`,
      TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO: `${timeReference % 2 ** 32}`,
      TIMESTAMP_SAMPLE_RATE: `${rate}`
    },
    TRACK_LIST: {
      TRACK_COUNT: "1",
      TRACK: { CHANNEL_INDEX: "1", INTERLEAVE_INDEX: "1", NAME: oneLine(speaker) }
    },
    BEXT: {
      BWF_DESCRIPTION: describedClip({ cue, speaker, text }),
      BWF_ORIGINATOR: "dubwright",
      ...(codingHistory.length === 0 ? {} : { BWF_CODING_HISTORY: codingHistory.join("\n") })
    }
  })
}

/** Reads the gain from a file's chunk, in dB; undefined if it states none. */
export const gainNamed = (file: string): number | undefined => {
  const found = /<USER>gain (-?\d+\.\d+) dB<\/USER>/u.exec(file)?.[1]
  return found === undefined ? undefined : Number(found)
}

/** Rounds a gain in dB to the chunk's precision, so that a file made with it again has the same bytes. */
export const heldGain = (gain: number): number => Number(gain.toFixed(decimals))

const decimals = 4

/** Describes a clip in one line, for the bext chunk: `12 ANNA: Is the ferry late?` */
export const describedClip = ({ cue, speaker, text }: Pick<ClipNote, "cue" | "speaker" | "text">): string =>
  `${cue} ${labelled(oneLine(speaker), text)}`
