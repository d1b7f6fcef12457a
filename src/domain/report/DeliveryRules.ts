/** Judges a file's sound by a delivery profile, rule by rule. */
import type { DeliveryProfile } from "../manifest/DeliveryProfile.ts"

/** What was measured in a file. */
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
  /** Timecode or time of its first frame, if the file states one. */
  readonly start: string | undefined
  /** The end of the sound less that of the picture, in seconds; undefined without a picture. */
  readonly beyondPicture: number | undefined
}

/** One rule: what is required, what was found, and the verdict; `info` if nothing is required. */
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
    | "length"
  readonly required?: string
  readonly found: string
  readonly verdict: "pass" | "fail" | "info"
  /** Why another quantity was judged than the profile names. */
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
          met: profile.channels.includes(sound.channels)
        }
  ),
  ...(sound.start === undefined ? [] : [verdict("start", sound.start, undefined)]),
  ...(sound.beyondPicture === undefined ? [] : [lengthVerdict(profile, sound.beyondPicture)])
]

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
    if (loudness === undefined) return undefined
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
          note: "measured over everything: no report.json beside the file says where lines are"
        }
      ]
    : [row("dialogue loudness", dialogue, true), whole(false)]
}

const lengthVerdict = ({ length }: DeliveryProfile, beyond: number): RuleVerdict => {
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
