/** Finds the provider of each voice that a batch names without one, from the service's voice lists. */
import { Array, Effect } from "effect"
import { ProviderId, type VoiceId } from "../../domain/values/Ids.ts"
import { nearestName } from "../../domain/values/DidYouMean.ts"
import { Gateway } from "../../gateway/Gateway.ts"
import { InputFault, InputRejected } from "../load/InputRejected.ts"
import type { Batch, Job } from "../load/Job.ts"

/** Returns a batch's voices without a provider: of jobs, and of speakers whose job has no provider either. */
export const voicesWithoutProvider = ({ jobs }: Pick<Batch, "jobs">): ReadonlyArray<VoiceId> =>
  Array.dedupe(
    jobs.flatMap(({ speakers, voice }) =>
      voice.provider !== undefined
        ? []
        : [voice, ...Object.values(speakers).filter(({ provider }) => provider === undefined)].flatMap(
            (named) => named.voice ?? []
          )
    )
  )

/** Returns the batch with these providers filled in for voices without one. */
export const withProviders = (batch: Batch, providers: ReadonlyMap<VoiceId, ProviderId>): Batch => {
  const complete = (job: Job): Job => {
    const { voice, speakers } = job
    if (voice.provider !== undefined) return job
    const found = <
      V extends { readonly provider?: ProviderId | undefined; readonly voice?: VoiceId | undefined }
    >(
      named: V
    ): V => {
      const provider = named.voice === undefined ? undefined : providers.get(named.voice)
      return named.provider !== undefined || provider === undefined ? named : { ...named, provider }
    }
    return {
      ...job,
      voice: found(voice),
      speakers: Object.fromEntries(Object.entries(speakers).map(([name, own]) => [name, found(own)]))
    }
  }
  return {
    ...batch,
    jobs: Array.map(batch.jobs, complete),
    ...(batch.every === undefined ? {} : { every: batch.every.map(complete) })
  }
}

/** The ids of all voices, by provider. */
export type VoiceLists = ReadonlyMap<ProviderId, ReadonlySet<string>>

/** Reads the voice lists of all providers. */
export const readVoiceLists = Effect.fn("VoiceProviders.readVoiceLists")(function* () {
  const { reads } = yield* Gateway
  const { providers } = yield* reads.providers
  const lists = new Map<ProviderId, ReadonlySet<string>>()
  for (const { provider } of providers) {
    const known = new Set<string>()
    for (let page = 1; page <= mostPages; page++) {
      const { voices } = yield* reads.voices({ provider, page, limit: 100 })
      const before = known.size
      for (const { voice_id } of voices) known.add(voice_id)
      if (known.size === before) break
    }
    lists.set(ProviderId.make(provider), known)
  }
  return lists
})

/** Maximum pages of voices to read per provider, in case a service's list never ends. */
const mostPages = 200

/** Returns the provider of each voice; fails with every voice that no provider has, or several. */
export const providersIn = (
  voices: ReadonlyArray<VoiceId>,
  lists: VoiceLists,
  file: string
): Effect.Effect<ReadonlyMap<VoiceId, ProviderId>, InputRejected> => {
  const found = new Map<VoiceId, ProviderId>()
  const faults: Array<InputFault> = []
  for (const voice of voices) {
    const [first, ...others] = [...lists].flatMap(([provider, known]) => (known.has(voice) ? [provider] : []))
    if (first !== undefined && others.length === 0) found.set(voice, first)
    else
      faults.push(
        InputFault.make({
          file,
          message: first === undefined ? unknown(voice, lists) : ambiguous(voice, [first, ...others])
        })
      )
  }
  return Array.isNonEmptyReadonlyArray(faults) ? InputRejected.make({ faults }) : Effect.succeed(found)
}

const ambiguous = (voice: VoiceId, providers: ReadonlyArray<ProviderId>): string =>
  `${providers.join(" and ")} have a voice "${voice}"; choose one with --provider, or with provider: in the manifest`

const unknown = (voice: VoiceId, lists: VoiceLists): string => {
  const near = [...lists].flatMap(([provider, known]) => {
    const name = nearestName(voice, [...known])
    return name === undefined ? [] : [`"${name}" of ${provider}`]
  })
  const meant = near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`
  return `no provider of the service has a voice "${voice}"${meant} (dubwright voices lists all)`
}
