/** Judges a file's sound by a delivery profile, rule by rule. */
import { besidePicture, type DeliveryProfile } from "../manifest/DeliveryProfile.ts"

/** The measurements of a file. */
export interface MeasuredSound {
  /** Integrated loudness of everything, in LUFS. */
  readonly programme: number
  /** Loudness of the spoken lines, in LUFS; undefined if it is not known where they are. */
  readonly dialogue: number | undefined
  /** Loudness range, in LU. */
  readonly range: number
  /** dBTP. */
  readonly truePeak: number
  /** Hz. */
  readonly rate: number
  /** Bits per sample; undefined for lossy codecs. */
  readonly depth: number | undefined
  readonly codec: string
  readonly channels: number
  /** Time of the first frame, if the file states it. */
  readonly start: StatedStart | undefined
  /** Longest silence, in seconds. */
  readonly silence: number
  /** The file's name, without its folder. */
  readonly name: string
  /** The end of the sound minus that of the picture, in seconds; undefined without a picture. */
  readonly beyondPicture: number | undefined
}

/** Time of a file's first frame. */
export interface StatedStart {
  /** The timecode of a video, or the time that a Broadcast Wave file states. */
  readonly shown: string
  /** The stated time in seconds since midnight; absent for a timecode. */
  readonly seconds?: number
}

/** One rule: the requirement, the found value, and the verdict, which is `info` if nothing is required. */
export interface RuleVerdict {
  readonly rule:
    | "dialogue loudness"
    | "programme loudness"
    | "loudness range"
    | "true peak"
    | "sample rate"
    | "bit depth"
    | "channels"
    | "start"
    | "silence"
    | "file name"
    | "length"
  readonly required?: string
  readonly found: string
  readonly verdict: "pass" | "fail" | "info"
  /** Why the judged quantity is not the one that the profile names. */
  readonly note?: string
}

/**
 * Returns a verdict for each rule, in the order of the table that people read. Levels are rounded to 0.1 before they
 * are judged, as meters show them. Length is rounded to milliseconds.
 */
export const judgeSound = (profile: DeliveryProfile, sound: MeasuredSound): ReadonlyArray<RuleVerdict> => [
  ...loudnessVerdicts(profile, sound),
  verdict(
    "loudness range",
    `${tenths(sound.range)} LU`,
    profile.range === undefined
      ? undefined
      : { words: `at most ${profile.range} LU`, met: rounded(sound.range) <= profile.range }
  ),
  verdict(
    "true peak",
    `${tenths(sound.truePeak)} dBTP`,
    profile.truePeak === undefined
      ? undefined
      : { words: `at most ${profile.truePeak} dBTP`, met: rounded(sound.truePeak) <= profile.truePeak }
  ),
  verdict(
    "sample rate",
    `${sound.rate} Hz`,
    profile.rate === undefined ? undefined : { words: `${profile.rate} Hz`, met: sound.rate === profile.rate }
  ),
  verdict(
    "bit depth",
    sound.depth === undefined ? `none: ${sound.codec} is lossy` : `${sound.depth} bit`,
    profile.depth === undefined
      ? undefined
      : { words: `${profile.depth} bit`, met: sound.depth === profile.depth }
  ),
  verdict(
    "channels",
    channelWords(sound.channels),
    profile.channels === undefined
      ? undefined
      : {
          words: profile.channels.map(channelWords).join(" or "),
          met: profile.channels.some((count) => count === sound.channels)
        }
  ),
  ...startVerdicts(profile, sound),
  ...(profile.silence === undefined
    ? []
    : [
        verdict("silence", `${tenths(sound.silence)} s`, {
          words: `at most ${profile.silence} s`,
          met: rounded(sound.silence) <= profile.silence
        })
      ]),
  ...(profile.name === undefined
    ? []
    : [
        verdict("file name", sound.name, { words: profile.name, met: nameMatches(profile.name, sound.name) })
      ]),
  ...(sound.beyondPicture === undefined ? [] : [lengthVerdict(profile, sound.beyondPicture)])
]

/** Whether a pattern matches a whole file name. */
export const nameMatches = (pattern: string, name: string): boolean =>
  new RegExp(`^(?:${pattern})$`, "u").test(name)

/** The names of the rules that were not met. */
export const rulesFailed = (verdicts: ReadonlyArray<RuleVerdict>): ReadonlyArray<string> =>
  verdicts.filter(({ verdict }) => verdict === "fail").map(({ rule }) => rule)

const verdict = (
  rule: RuleVerdict["rule"],
  found: string,
  required: { readonly words: string; readonly met: boolean } | undefined
): RuleVerdict =>
  required === undefined
    ? { rule, found, verdict: "info" }
    : { rule, required: required.words, found, verdict: required.met ? "pass" : "fail" }

/** The judged loudness first, then the other one, if both were measured. */
const loudnessVerdicts = (
  { loudness }: DeliveryProfile,
  { programme, dialogue, channels }: MeasuredSound
): ReadonlyArray<RuleVerdict> => {
  const judged = (level: number) => {
    if (loudness?.tolerance === undefined) return undefined
    const target = channels === 1 ? (loudness.mono ?? loudness.target) : loudness.target
    return {
      words: `${target} LUFS ± ${loudness.tolerance} LU`,
      met: Math.abs(rounded(rounded(level) - target)) <= loudness.tolerance
    }
  }
  const row = (rule: "dialogue loudness" | "programme loudness", level: number, isJudged: boolean) =>
    verdict(rule, `${tenths(level)} LUFS`, isJudged ? judged(level) : undefined)
  const whole = (isJudged: boolean) => row("programme loudness", programme, isJudged)
  if (loudness?.over !== "dialogue")
    return [whole(true), ...(dialogue === undefined ? [] : [row("dialogue loudness", dialogue, false)])]
  return dialogue === undefined
    ? [
        {
          ...whole(true),
          note: "measured over the whole file: no report.json beside it says where the lines are"
        }
      ]
    : [row("dialogue loudness", dialogue, true), whole(false)]
}

const startVerdicts = (
  { start: required }: DeliveryProfile,
  { start }: MeasuredSound
): ReadonlyArray<RuleVerdict> => {
  const { shown = "not stated", seconds } = start ?? {}
  if (required === undefined) return start === undefined ? [] : [verdict("start", shown, undefined)]
  if (seconds === undefined)
    return [
      verdict("start", shown, { words: required, met: /^(.{8})[:;]00$/u.exec(shown)?.[1] === required })
    ]
  const counted = countings.find(({ after }) => Math.abs(after(secondsOf(required)) - seconds) < 0.0005)
  return [
    verdict("start", `${shown}${counted?.words ?? ""}`, { words: required, met: counted !== undefined })
  ]
}

/** The times at which a timecode reaches whole seconds, for each way of counting frames. */
const countings = [
  { words: "", after: (stated: number) => stated },
  // Counted at 24 or 30 frames per second, shown at 1000/1001 of that.
  { words: ", counted at 23.976 or 29.97 frames per second", after: (stated: number) => stated * 1.001 },
  // Drop-frame skips two numbers in each minute but every tenth.
  {
    words: ", drop-frame",
    after: (stated: number) => {
      const minutes = Math.floor(stated / 60)
      return ((stated * 30 - 2 * (minutes - Math.floor(minutes / 10))) * 1.001) / 30
    }
  }
]

const secondsOf = (time: string): number =>
  time.split(":").reduce((seconds, part) => seconds * 60 + Number(part), 0)

const lengthVerdict = ({ length = besidePicture }: DeliveryProfile, beyond: number): RuleVerdict => {
  const millis = Math.round(beyond * 1000)
  const found =
    millis === 0 ? "as the picture" : `${Math.abs(millis)} ms ${millis > 0 ? "longer" : "shorter"}`
  return verdict("length", found, {
    words: `the picture's ± ${length * 1000} ms`,
    met: Math.abs(millis) <= length * 1000
  })
}

const channelWords = (channels: number): string =>
  ({ 1: "mono", 2: "stereo", 6: "5.1", 8: "7.1" })[channels] ?? `${channels} channels`

const rounded = (level: number): number => Math.round(level * 10) / 10

const tenths = (level: number): string => rounded(level).toFixed(1)
