/** Resolves a line's casting from overrides, speaker and job, and checks its controls against the provider. */
import { Either } from "effect"
import { Casting, controlNames, neutralControls } from "../../../domain/speech/Casting.ts"
import type { ProviderId, SpeakerName, VoiceId } from "../../../domain/values/Ids.ts"
import { profileOf as builtInProfile, type ProviderProfile } from "../../../domain/speech/ProviderProfile.ts"
import type { Job, JobVoice } from "../../load/Job.ts"

/** A line's inline directives, such as `{voice: anna}`. */
export interface VoiceOverrides {
  readonly voice?: VoiceId | undefined
  readonly provider?: ProviderId | undefined
  readonly speed?: number | undefined
  readonly vol?: number | undefined
  readonly pitch?: number | undefined
  readonly tone?: string | undefined
}

/**
 * Resolves the casting of a line. Left: the missing key. A voice and a model belong to their provider: a speaker with a
 * provider of its own does not inherit the job's voice and model. A neutral control value is dropped if the provider
 * is not known for that control, whatever its service states: it would change the key of a text that was sent. A tone
 * is dropped if the provider takes none.
 */
export const castingOf = (
  job: Job,
  speaker: SpeakerName | undefined,
  overrides: VoiceOverrides,
  profileOf: (provider: ProviderId) => ProviderProfile
): Either.Either<Casting, "provider" | "voice"> => {
  const own = speaker === undefined ? undefined : job.speakers[speaker]
  const voice = over(over(job.voice, own ?? {}), overrides)
  if (voice.provider === undefined) return Either.left("provider")
  if (voice.voice === undefined) return Either.left("voice")
  const profile = profileOf(voice.provider)
  const { controls } = builtInProfile(voice.provider)
  const kept = controlNames.filter(
    (name) =>
      voice[name] !== undefined && (controls[name] !== undefined || voice[name] !== neutralControls[name])
  )
  return Either.right(
    Casting.make({
      provider: voice.provider,
      voice: voice.voice,
      ...(voice.model === undefined ? {} : { model: voice.model }),
      ...Object.fromEntries(kept.map((name) => [name, voice[name]])),
      ...toneFor(overrides.tone, profile)
    })
  )
}

/** Returns the tone for a provider that takes tones. For others it is dropped, since they would read it aloud. */
export const toneFor = (tone: string | undefined, profile: ProviderProfile): { readonly tone?: string } =>
  tone === undefined || profile.tone === undefined || profile.srtInput ? {} : { tone }

/** Returns a message for each control of a casting that the provider does not accept. */
export const controlFaults = (casting: Casting, profile: ProviderProfile): ReadonlyArray<string> =>
  controlNames.flatMap((name) => {
    const value = casting[name]
    if (value === undefined || value === neutralControls[name]) return []
    const range = profile.controls[name]
    if (range === undefined) {
      return [
        `${name}: ${value}: ${casting.provider} has no ${name} control; leave it out or choose another provider`
      ]
    }
    return value < range.min || value > range.max
      ? [`${name}: ${value}: ${casting.provider} accepts ${range.min} to ${range.max}`]
      : []
  })

const over = (base: JobVoice, more: JobVoice): JobVoice => {
  const moved = more.provider !== undefined && more.provider !== base.provider
  return {
    provider: more.provider ?? base.provider,
    voice: more.voice ?? (moved ? undefined : base.voice),
    model: more.model ?? (moved ? undefined : base.model),
    speed: more.speed ?? base.speed,
    vol: more.vol ?? base.vol,
    pitch: more.pitch ?? base.pitch
  }
}
