/** Builds the ffmpeg arguments that decode audio to mono PCM, and interprets ffmpeg's result. */
import { Either } from "effect"
import { type Pcm, tooLong } from "../../audio/pcm/Pcm.ts"
import type { SampleRate } from "../../domain/time/Units.ts"
import { type InputDescription, inputsDescribed } from "../probe/InputDescription.ts"
import { NotAudio } from "../process/FfmpegErrors.ts"
import { textIn } from "../process/FileHead.ts"

/**
 * How many files one process decodes. Starting a process costs as much as several short clips. More than a few dozen
 * files gain nothing, and if one file is bad, all files of its process are decoded again one by one.
 */
export const filesPerProcess = 50

/** One audio track of a file. */
export interface DecodeSource {
  readonly path: string
  /** The audio track, counted from 0. */
  readonly track?: number
  /** Of received audio, the longest accepted sound in seconds. ffmpeg then reads plain audio files only. */
  readonly most?: number
}

/** A file and the path for its samples: 32-bit floats without a header. */
export interface DecodeTarget {
  readonly source: DecodeSource
  readonly target: string
}

/**
 * Options for received audio. These formats name no other files: of others, such as playlists, a server could make
 * ffmpeg open local files. A huge cover, or a rate of 1 Hz, would make it take gigabytes in one block.
 */
const receivedOptions = [
  ...["-max_alloc", `${32 * 1024 ** 2}`, "-protocol_whitelist", "file", "-format_whitelist"],
  "aac,ac3,aiff,amr,asf,au,caf,eac3,flac,matroska,mov,mp3,mpegts,ogg,w64,wav"
]

/**
 * Returns the arguments that decode files in one process. It exits on data errors (`-xerror`). Stereo is averaged, so
 * that a voice on both channels keeps its level. With `asIs`, rate and channels stay those of the file.
 */
export const decodeArgs = (
  files: ReadonlyArray<DecodeTarget>,
  rate: SampleRate,
  asIs = false
): ReadonlyArray<string> => [
  "-hide_banner",
  "-nostdin",
  "-nostats",
  "-xerror",
  ...files.flatMap(({ source: { path, most } }) => [
    ...(most === undefined ? [] : receivedOptions),
    ...["-i", path]
  ]),
  ...files.flatMap(({ source, target }, place) => [
    "-map",
    `${place}:a:${source.track ?? 0}`,
    ...(asIs ? [] : ["-ac", "1", "-ar", `${rate}`, "-af", "aresample=rematrix_maxval=1"]),
    // One second more shows that a sound is too long.
    ...(source.most === undefined ? [] : ["-t", `${source.most + 1}`]),
    "-f",
    "f32le",
    "-y",
    target
  ])
]

/** The exit code and stderr of a decoding process. */
export interface DecodeAnswer {
  readonly exitCode: number | undefined
  readonly stderr: string
}

/** Whether a process decoded all its files and reported no damage. */
export const wentWell = ({ exitCode, stderr }: DecodeAnswer): boolean =>
  exitCode === 0 && damageIn(stderr) === undefined

/** Whether a process could not read the format of its one file: it has no demuxer or decoder for it. */
export const cannotRead = ({ exitCode, stderr }: DecodeAnswer): boolean =>
  exitCode !== 0 &&
  (inputsDescribed(stderr).length === 0 ||
    spokenLines(stderr).some((line) => /no decoder found|decoder \(codec .*\) not found/iu.test(line)))

/** Returns one file's samples from a process that went well, or why some are missing. */
export const decoded = (
  source: DecodeSource,
  rate: SampleRate,
  bytes: Uint8Array,
  description: InputDescription | undefined
): Either.Either<Pcm, NotAudio> => {
  const samples = floatsIn(bytes)
  const refusal = misfit(source, samples.length / rate, description)
  return refusal === undefined ? Either.right({ rate, samples }) : Either.left(refusal)
}

/** Compares the decoded seconds with the longest accepted sound and the file's header; undefined if they agree. */
export const misfit = (
  { path: source, most = Infinity }: DecodeSource,
  seconds: number,
  description: InputDescription | undefined
): NotAudio | undefined => {
  const stated = description?.stated
  if (seconds === 0) return new NotAudio({ source, reason: "empty", found: "audio of zero length" })
  if (seconds > most) return new NotAudio({ source, reason: "too-long", found: tooLong(most) })
  return stated === undefined || stated - seconds <= toleratedSeconds
    ? undefined
    : new NotAudio({
        source,
        reason: "truncated",
        found: `${seconds.toFixed(2)} of the ${stated.toFixed(2)} seconds in its header: the file is truncated`
      })
}

/** Reads 32-bit floats from bytes; drops an incomplete last one. */
export const floatsIn = (bytes: Uint8Array): Float32Array => {
  const whole = bytes.byteLength - (bytes.byteLength % 4)
  return new Float32Array(new Uint8Array(bytes.subarray(0, whole)).buffer)
}

/** Explains why decoding a single file failed. `head` holds the file's first bytes. */
export const decodeRefusal = (source: string, head: Uint8Array, { stderr }: DecodeAnswer): NotAudio => {
  const refused = (reason: NotAudio["reason"], found: string) => new NotAudio({ source, reason, found })
  if (head.length === 0) return refused("empty", "an empty file")
  const text = textIn(head)
  if (text !== undefined) return refused("text", text)
  const [input] = inputsDescribed(stderr)
  if (input !== undefined && !input.streams.some((stream) => stream._tag === "AudioStream"))
    return refused("no-audio", `a ${input.format} file without an audio track`)
  const line = damageIn(stderr) ?? spokenLines(stderr).find((line) => /error|invalid/iu.test(line))
  const detail = line === undefined ? "" : ` (${line.replace(/^(\[[^\]]*\] )+/u, "").trim()})`
  return refused("broken", `damaged audio or no audio${detail}`)
}

/** Finds a line in which ffmpeg reports damaged data, even if it continued. */
const damageIn = (stderr: string): string | undefined =>
  spokenLines(stderr).find((line) =>
    /corrupt|truncat|invalid data|error while decoding|decoding error|partial file/iu.test(line)
  )

/** Removes the descriptions of files, since their titles and paths may contain anything. */
const spokenLines = (stderr: string): ReadonlyArray<string> =>
  stderr.split(/\r?\n/u).filter((line) => !/^( |Input #|Output #)/u.test(line))

/**
 * How many seconds may be missing from the length in the header. MP3 and AAC headers include encoder delay and padding,
 * which are a fifth of a second at low rates.
 */
const toleratedSeconds = 0.25
