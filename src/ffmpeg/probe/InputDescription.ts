/** Parses the description of inputs that ffmpeg prints to stderr. */
import { ratio, type Ratio } from "../../domain/time/Ratio.ts"
import { AudioStream, type MediaStream, OtherStream, SubtitleStream, VideoStream } from "./MediaInfo.ts"

/** The description of one input. */
export interface InputDescription {
  /** ffmpeg's names for the container. */
  readonly format: string
  /**
   * The duration in the file's header, in seconds to two decimals. Undefined if it is missing, or ffmpeg only estimates
   * it from the bit rate.
   */
  readonly stated: number | undefined
  /** The start time of its first packet in seconds; 0 if not stated. */
  readonly start: number
  /**
   * The timecode of its first frame, if any: with a semicolon before the frame number if it is drop-frame.
   */
  readonly timecode: string | undefined
  /** The time reference of a Broadcast Wave file, in frames. */
  readonly timeReference: number | undefined
  /** The file's tags with words. */
  readonly comment: string | undefined
  readonly keywords: string | undefined
  readonly streams: ReadonlyArray<MediaStream>
}

/** Parses the inputs that ffmpeg's stderr describes, in order. */
export const inputsDescribed = (stderr: string): ReadonlyArray<InputDescription> => {
  const sections: Array<Section> = []
  let section: Section | undefined
  let guessing = false
  for (const line of stderr.split(/\r?\n/u)) {
    const opening = /^Input #\d+, (.+?), from '/u.exec(line)
    if (opening !== null) {
      section = {
        format: opening[1] ?? "",
        guessed: guessing,
        stated: undefined,
        start: 0,
        tags: new Map(),
        streams: []
      }
      sections.push(section)
      guessing = false
    } else if (/^(Output #|Stream mapping:|At least one output)/u.test(line)) {
      section = undefined
    } else if (/Estimating duration from bitrate/u.test(line)) {
      guessing = true
    } else if (section !== undefined) {
      read(section, line)
    }
  }
  return sections.map(({ format, guessed, stated, start, tags, streams }) => ({
    format,
    stated: guessed ? undefined : stated,
    start,
    // MOV and MP4 keep it with the video stream, MKV with the stream or the file.
    timecode: [...streams, { tags }].map((holder) => holder.tags.get("timecode")).find(Boolean),
    timeReference: timeReferenceIn(tags),
    comment: tags.get("comment"),
    keywords: tags.get("keywords"),
    streams: streams.map(streamOf)
  }))
}

interface Section {
  readonly format: string
  readonly guessed: boolean
  stated: number | undefined
  start: number
  readonly tags: Map<string, string>
  readonly streams: Array<RawStream>
}

interface RawStream {
  readonly index: number
  readonly language: string | undefined
  readonly kind: string
  readonly details: string
  readonly tags: Map<string, string>
}

const read = (section: Section, line: string): void => {
  const times = /^ {2}Duration: (?:N\/A|(\d+):(\d+):([\d.]+))(?:, start: (-?[\d.]+))?/u.exec(line)
  if (times !== null) {
    const [, hours, minutes, seconds, start] = times
    if (hours !== undefined) section.stated = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
    if (start !== undefined) section.start = Number(start)
    return
  }
  const opening = /^ {2,4}Stream #\d+:(\d+)(?:\[0x[\da-f]+\])?(?:\(([^)]*)\))?: (\w+): (.*)$/u.exec(line)
  if (opening !== null) {
    const [, index, language, kind = "", details = ""] = opening
    section.streams.push({ index: Number(index), language, kind, details, tags: new Map() })
    return
  }
  // A further line of the file's last tag, below its colon.
  const [, further] = /^ {10,}: (.*)$/u.exec(line) ?? []
  const last = [...section.tags].at(-1)
  if (further !== undefined && section.streams.length === 0 && last !== undefined)
    section.tags.set(last[0], `${last[1]}\n${further}`)
  const [, indent, key, value] = /^( {4}| {6}| {8})(\S.*?)\s*: (.*)$/u.exec(line) ?? []
  if (indent === undefined || key === undefined || value === undefined) return
  const tags = indent.length > 4 ? section.streams.at(-1)?.tags : section.tags
  tags?.set(key.toLowerCase(), value)
}

const streamOf = ({ index, language, kind, details, tags }: RawStream): MediaStream => {
  const title = titleIn(tags)
  const common = {
    index,
    codec: /^[\w.-]+/u.exec(details)?.[0] ?? "unknown",
    isDefault: details.includes("(default)"),
    ...(language === undefined || language === "und" || language === "" ? {} : { language }),
    ...(title === undefined ? {} : { title })
  }
  switch (kind) {
    case "Video": {
      const frameRate = frameRateIn(details)
      return VideoStream.make({
        ...common,
        attached: details.includes("(attached pic)"),
        ...shownSize(details, tags),
        ...(frameRate === undefined ? {} : { frameRate })
      })
    }
    case "Audio": {
      const [, rate, layout = ""] = /, (\d+) Hz(?:, ([^,]+))?/u.exec(details) ?? []
      return rate === undefined || Number(rate) === 0
        ? OtherStream.make({ index, kind: "Audio of unknown rate" })
        : AudioStream.make({
            ...common,
            rate: Number(rate),
            channels: channelsIn(layout),
            ...bitsIn(common.codec, details)
          })
    }
    case "Subtitle":
      return SubtitleStream.make(common)
    default:
      return OtherStream.make({ index, kind })
  }
}

/** Finds a stream's title. MP4 and MOV have it as handler name; default handler names of muxers do not count. */
const titleIn = (tags: ReadonlyMap<string, string>): string | undefined => {
  const handler = tags.get("handler_name")
  const named =
    handler !== undefined && /handler$|^mainconcept|^gpac|^iso media/iu.test(handler) ? undefined : handler
  const title = (tags.get("title") ?? named)?.trim()
  return title === "" ? undefined : title
}

const timeReferenceIn = (tags: ReadonlyMap<string, string>): number | undefined => {
  const frames = /^\d{1,15}$/u.exec(tags.get("time_reference") ?? "")?.[0]
  return frames === undefined ? undefined : Number(frames)
}

/** Finds the bits per sample of a lossless codec: stated, in the codec's name, or those of the sample format. */
const bitsIn = (codec: string, details: string): { readonly bits?: number } => {
  if (!/^(?:pcm_[suf]\d|flac|alac|truehd|mlp|wavpack|tta)/u.test(codec)) return {}
  const bits =
    /\((\d+) bit\)/u.exec(details)?.[1] ??
    /^pcm_[suf](\d+)/u.exec(codec)?.[1] ??
    /, [su](\d+)p?(?:,|$| )/u.exec(details)?.[1]
  return bits === undefined ? {} : { bits: Number(bits) }
}

const channelsIn = (layout: string): number => {
  const named: Readonly<Record<string, number>> = { mono: 1, stereo: 2, downmix: 2, quad: 4 }
  const word = layout.trim().replace(/\(.*$/u, "")
  const counted = /^(\d+) channels/u.exec(word)?.[1]
  if (counted !== undefined) return Math.max(1, Number(counted))
  const pointed = /^(\d+)\.(\d+)(?:\.(\d+))?/u.exec(word)
  if (pointed !== null) return Number(pointed[1]) + Number(pointed[2]) + Number(pointed[3] ?? 0)
  return named[word] ?? 1
}

/**
 * Returns the display size in square pixels: after the pixel aspect ratio and the rotation are applied.
 */
const shownSize = (details: string, tags: ReadonlyMap<string, string>) => {
  const size = /, (\d{1,5})x(\d{1,5})[ ,]/u.exec(`${details},`)
  const height = Number(size?.[2] ?? 0)
  // ffmpeg prints the container's aspect ratio last, if it differs from the codec's; it takes precedence.
  const [, across, down] = /, SAR (\d+):(\d+) /u.exec(details) ?? /\[SAR (\d+):(\d+) /u.exec(details) ?? []
  const aspect = Number(across ?? 1) / Number(down ?? 1)
  const width = Math.round(Number(size?.[1] ?? 0) * (aspect > 0 && Number.isFinite(aspect) ? aspect : 1))
  if (width * height === 0) return {}
  const degrees = Number(/rotation of (-?[\d.]+)/u.exec(tags.get("displaymatrix") ?? "")?.[1] ?? 0)
  return Math.round(degrees / 90) % 2 === 0 ? { width, height } : { width: height, height: width }
}

/** Returns the exact frame rate from ffmpeg's two decimals; for a variable rate, the base rate. */
const frameRateIn = (details: string): Ratio | undefined => {
  const average = rateNamed(details, "fps")
  const base = rateNamed(details, "tbr")
  const printed =
    average !== undefined && base !== undefined && Math.abs(average - base) > 0.02 && base <= 120
      ? base
      : (average ?? base)
  return printed === undefined || printed <= 0 || printed > 1000 ? undefined : exactRate(printed)
}

const rateNamed = (details: string, unit: "fps" | "tbr"): number | undefined => {
  const match = new RegExp(`(?:^|, )([\\d.]+)(k?) ${unit}`, "u").exec(details)
  return match === null ? undefined : Number(match[1]) * (match[2] === "k" ? 1000 : 1)
}

/** Converts a printed rate: 23.98 is 24000/1001, 29.97 is 30000/1001, and so on; other rates are exact. */
export const exactRate = (printed: number): Ratio => {
  const whole = Math.round(printed * 1.001)
  if (Number.isInteger(printed)) return ratio(printed)
  if (Math.abs((whole * 1000) / 1001 - printed) < 0.006) return ratio(whole * 1000, 1001)
  return ratio(Math.max(1, Math.round(printed * 1000)), 1000)
}
