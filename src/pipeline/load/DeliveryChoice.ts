/** Applies a delivery profile to a job's settings, and finds settings that contradict it. */
import { channelLayouts } from "../../domain/manifest/DeliveryProfile.ts"
import { type OutputName, outputs } from "../../domain/manifest/Outputs.ts"
import { loudnessNamed, type LoudnessTarget } from "../../domain/manifest/SoundSettings.ts"
import { nameMatches } from "../../domain/report/DeliveryRules.ts"
import type { Job } from "./Job.ts"
import type { NamedProfile } from "./ProfileFile.ts"

/** A job with its profile, and the settings that contradict it. */
interface DeliveryChoice {
  readonly job: Job
  readonly faults: ReadonlyArray<string>
}

/**
 * Fills in the settings that a profile requires and the job leaves open. `loudness` is the manifest's; undefined if
 * there is none. Each fault names a key, its value and the profile.
 */
export const chosenDelivery = (
  job: Job,
  delivery: NamedProfile,
  loudness: LoudnessTarget | undefined
): DeliveryChoice => ({
  job: { ...withProfile(job, delivery), delivery },
  faults: [...faultsOfSound(job, delivery, loudness), ...faultsOfFiles(job, delivery)]
})

const withProfile = (job: Job, { profile: { rate, depth, channels, start } }: NamedProfile): Job => {
  const usual = Object.values(job.speakers).some(({ pan = 0 }) => pan !== 0) ? 2 : 1
  const count = channels?.includes(usual) === false ? channels.find((one) => one !== 6) : undefined
  return {
    ...job,
    audio: {
      ...(rate === undefined ? {} : { rate }),
      ...(depth === undefined ? {} : { depth }),
      // A background decides the channels by itself.
      ...(count === undefined || job.background !== undefined || job.separate !== undefined
        ? {}
        : { channels: channelLayouts[count] }),
      ...job.audio
    },
    timeline: { ...(start === undefined ? {} : { start: `${start}:00` }), ...job.timeline }
  }
}

/** Formats the fault of a key. */
const against = ({ name }: NamedProfile, key: string, value: string | number, required: string): string =>
  `${key}: ${value} contradicts delivery: ${name}, which requires ${required}; remove one of them`

const faultsOfSound = (
  { audio, background, separate, original, timeline }: Job,
  delivery: NamedProfile,
  loudness: LoudnessTarget | undefined
): ReadonlyArray<string> => {
  const { name, profile } = delivery
  const { loudness: rule, rate, depth, channels, start } = profile
  const wanted = channels?.map((count) => channelLayouts[count])
  const isLevelled = rule !== undefined || profile.truePeak !== undefined
  const levels = [rule?.target, rule?.mono]
  return [
    ...(rule !== undefined && loudness !== undefined && !levels.includes(loudnessNamed(loudness))
      ? [against(delivery, "loudness", loudness, `${rule.target} LUFS`)]
      : []),
    ...(rate !== undefined && audio.rate !== undefined && audio.rate !== rate
      ? [against(delivery, "audio.rate", audio.rate, `${rate} Hz`)]
      : []),
    ...(depth !== undefined && audio.depth !== undefined && audio.depth !== depth
      ? [against(delivery, "audio.depth", audio.depth, `${depth} bits`)]
      : []),
    ...(wanted !== undefined && audio.channels !== undefined && !wanted.includes(audio.channels)
      ? [against(delivery, "audio.channels", audio.channels, wanted.join(" or "))]
      : []),
    ...(wanted?.join() === "5.1" && background === undefined && separate === undefined
      ? [`delivery: ${name} requires 5.1, which needs a background in 5.1; name one under background`]
      : []),
    ...(profile.voicesOnly === true && background !== undefined
      ? [against(delivery, "background", background.name, "voices only")]
      : []),
    ...(profile.voicesOnly === true && separate !== undefined
      ? [against(delivery, "separate", separate.command[0], "voices only")]
      : []),
    ...(original === "duck" && profile.voicesOnly === true
      ? [against(delivery, "original", original, "voices only")]
      : original === "duck" && isLevelled
        ? [
            `original: ${original} contradicts delivery: ${name}: ducked sound is not levelled; use background, or original: keep`
          ]
        : []),
    ...(start !== undefined && timeline.start !== undefined && !startsAt(timeline.start, start)
      ? [against(delivery, "timeline.start", timeline.start, start)]
      : [])
  ]
}

/** Whether a timecode is the first frame of a second. */
const startsAt = (timecode: string, second: string): boolean =>
  timecode.startsWith(second) && /^\D0+$/u.test(timecode.slice(second.length))

const faultsOfFiles = ({ id, outputs: names }: Job, delivery: NamedProfile): ReadonlyArray<string> => {
  const { depth, start, name } = delivery.profile
  const lossy = names.find((output) => "isLossy" in outputs[output])
  const untimed = names.find((output) => hasSound(output) && output !== "wav")
  const unnamed = names.find(
    (output) => name !== undefined && hasSound(output) && !nameMatches(name, `${id}.${output}`)
  )
  return [
    ...(depth !== undefined && lossy !== undefined
      ? [against(delivery, "outputs", `${lossy} (a lossy format)`, `${depth} bits`)]
      : []),
    ...(start !== undefined && untimed !== undefined && untimed !== lossy
      ? [against(delivery, "outputs", untimed, `a start of ${start}, and only wav states one`)]
      : []),
    ...(name !== undefined && unnamed !== undefined
      ? [
          `id: the file ${id}.${unnamed} contradicts delivery: ${delivery.name}, which requires names that match ${name}; change the id`
        ]
      : [])
  ]
}

const hasSound = (name: OutputName): boolean => ["sound", "video"].includes(outputs[name].kind)
