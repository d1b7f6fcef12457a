/** Any audio file to mono PCM: the command lines, and what ffmpeg's answer means. */
import { Either } from "effect"
import type { Pcm } from "../../audio/pcm/Pcm.ts"
import type { SampleRate } from "../../domain/time/Units.ts"
import { type InputDescription, inputsDescribed } from "../probe/InputDescription.ts"
import { NotAudio } from "../process/FfmpegErrors.ts"

/**
 * How many files one process decodes. A process start costs as much as several short clips; beyond some dozens there is
 * nothing left to gain, and more files are decoded again one by one when one of them is bad.
 */
export const filesPerProcess = 50

/** One audio track of a file. */
export interface DecodeSource {
  readonly path: string
  /** Which of its audio tracks, from 0. */
  readonly track?: number
}

/** Where a file's samples are written: 32-bit floats without a header. */
export interface DecodeTarget {
  readonly source: DecodeSource
  readonly target: string
}

/**
 * The arguments that decode files in one process. Errors in the data end it (`-xerror`); stereo is averaged, so that a
 * voice on both channels keeps its level.
 */
export const decodeArgs = (files: ReadonlyArray<DecodeTarget>, rate: SampleRate): ReadonlyArray<string> => [
  "-hide_banner",
  "-nostdin",
  "-nostats",
  "-xerror",
  ...files.flatMap(({ source }) => ["-i", source.path]),
  ...files.flatMap(({ source, target }, place) => [
    "-map",
    `${place}:a:${source.track ?? 0}`,
    "-ac",
    "1",
    "-ar",
    `${rate}`,
    "-af",
    "aresample=rematrix_maxval=1",
    "-f",
    "f32le",
    "-y",
    target
  ])
]

/** What a process that decoded files said, in so far as it concerns all of them. */
export interface DecodeAnswer {
  readonly exitCode: number | undefined
  readonly stderr: string
}

/** Whether a process decoded all its files without a word of damage. */
export const wentWell = ({ exitCode, stderr }: DecodeAnswer): boolean =>
  exitCode === 0 && damageIn(stderr) === undefined

/** The samples of one file of a process that went well, or why they are not all there. */
export const decoded = (
  source: string,
  rate: SampleRate,
  bytes: Uint8Array,
  description: InputDescription | undefined
): Either.Either<Pcm, NotAudio> => {
  const samples = floatsIn(bytes)
  const refusal = shortage(source, samples.length / rate, description)
  return refusal === undefined ? Either.right({ rate, samples }) : Either.left(refusal)
}

/** Why so many decoded seconds are not all of a file, if they are not. */
export const shortage = (
  source: string,
  seconds: number,
  description: InputDescription | undefined
): NotAudio | undefined => {
  const stated = description?.stated
  if (seconds === 0) return new NotAudio({ source, reason: "empty", found: "audio of no length" })
  return stated === undefined || stated - seconds <= toleratedSeconds
    ? undefined
    : new NotAudio({
        source,
        reason: "truncated",
        found: `${seconds.toFixed(2)} of the ${stated.toFixed(2)} seconds that its header promises: it was cut off`
      })
}

/** 32-bit floats from their bytes; an incomplete last one is left out. */
export const floatsIn = (bytes: Uint8Array): Float32Array => {
  const whole = bytes.byteLength - (bytes.byteLength % 4)
  return new Float32Array(new Uint8Array(bytes.subarray(0, whole)).buffer)
}

/** Why a process that decoded a single file failed, in words. `head` is the file's first bytes. */
export const decodeRefusal = (source: string, head: Uint8Array, { stderr }: DecodeAnswer): NotAudio => {
  const refused = (reason: NotAudio["reason"], found: string) => new NotAudio({ source, reason, found })
  if (head.length === 0) return refused("empty", "an empty file")
  const text = textIn(head)
  if (text !== undefined) return refused("text", text)
  const [input] = inputsDescribed(stderr)
  if (input !== undefined && !input.streams.some((stream) => stream._tag === "AudioStream")) {
    return refused("no-audio", `a ${input.format} file without an audio track`)
  }
  const line = damageIn(stderr) ?? spokenLines(stderr).find((line) => /error|invalid/iu.test(line))
  const detail = line === undefined ? "" : ` (${line.replace(/^(\[[^\]]*\] )+/u, "").trim()})`
  return refused("broken", `damaged audio, or none at all${detail}`)
}

/** The line in which ffmpeg says that data is damaged, even where it goes on. */
const damageIn = (stderr: string): string | undefined =>
  spokenLines(stderr).find((line) =>
    /corrupt|truncat|invalid data|error while decoding|decoding error|partial file/iu.test(line)
  )

/** ffmpeg's own words: not its description of the files, whose titles and paths may say anything. */
const spokenLines = (stderr: string): ReadonlyArray<string> =>
  stderr.split(/\r?\n/u).filter((line) => !/^( |Input #|Output #)/u.test(line))

/**
 * By how much a header may promise more than is decoded: MP3 and AAC count the encoder's delay and padding, which at
 * low rates come to a fifth of a second.
 */
const toleratedSeconds = 0.25

/** Names text where a file begins like one: a page or a message that a server sent instead of audio. */
const textIn = (head: Uint8Array): string | undefined => {
  const start = new TextDecoder().decode(head.subarray(0, 200), { stream: true }).trimStart()
  if (/^<(!doctype|html|head|body|\?xml)/iu.test(start)) return `a web page or XML ("${excerpt(start)}")`
  if (/^[[{]/u.test(start) && isReadable(start)) return `JSON ("${excerpt(start)}")`
  return isReadable(start) ? `text ("${excerpt(start)}")` : undefined
}

const excerpt = (text: string): string => text.replaceAll(/\s+/gu, " ").slice(0, 60)

const isReadable = (text: string): boolean => !/[\u0000-\u0008\u000E-\u001F\uFFFD]/u.test(text.slice(0, 150))
