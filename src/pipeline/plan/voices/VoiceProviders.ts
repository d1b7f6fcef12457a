/** Finds the provider of a voice set without one: the one that spoke with it before, else the one that lists it. */
import { Array, Effect } from "effect"
import { ProviderId, type VoiceId } from "../../../domain/values/Ids.ts"
import type { TraitsOf, VoiceTraits } from "../../../domain/speech/VoiceTraits.ts"
import { nearestName } from "../../../domain/values/DidYouMean.ts"
import { Gateway } from "../../../gateway/Gateway.ts"
import { InvalidResponse } from "../../../gateway/GatewayErrors.ts"
import { spokenBy } from "../../../store/tables/SpokenVoices.ts"
import type { StateOf } from "../../../store/tables/StateLayers.ts"
import { type InputRejected, rejectInputs } from "../../load/InputRejected.ts"
import type { Batch, Job } from "../../load/Job.ts"
import { VoicesUnlisted } from "../../load/VoicesUnlisted.ts"
import { warningsTo } from "../../Progress.ts"
import { greeted } from "../ServicePresence.ts"
import { preliminaryGateway, type SpeechAccess } from "../SpeechAccess.ts"

/** Timeout for listing the voices. */
const listsWithin = "30 seconds"

/**
 * Returns the batch with a provider for each voice, and a note for each provider that was looked up. Voices with clips
 * keep the provider that spoke them, so that plan and run agree and a finished batch needs no service.
 */
export const withProvidersFound = Effect.fn("VoiceProviders.withProvidersFound")(function* <E>(
  batch: Batch,
  service: SpeechAccess<E>,
  state: StateOf
) {
  const voices = voicesWithoutProvider(batch)
  if (voices.length === 0) return { batch, notes: [] }
  const known = yield* spokenBefore(state(batch.state), voices)
  const asked = voices.filter((voice) => !known.has(voice))
  const notes: Array<string> = []
  const found =
    asked.length === 0 ? new Map<VoiceId, ProviderId>() : yield* listedBy(batch, service, asked, notes)
  for (const [voice, provider] of found)
    notes.push(`using ${provider}, the only provider with a voice "${voice}"`)
  return { batch: withProviders(batch, new Map([...known, ...found])), notes }
})

const spokenBefore = (state: ReturnType<StateOf>, voices: ReadonlyArray<VoiceId>) =>
  Effect.forEach(voices, (voice) => Effect.map(spokenBy(voice), (by) => [voice, by] as const)).pipe(
    Effect.provide(state),
    // Without a readable state folder there is nothing to look up; a run reports why it is unreadable.
    Effect.orElseSucceed(() => []),
    Effect.map(
      (all) =>
        new Map(
          all.flatMap(([voice, [provider, ...others]]) =>
            provider === undefined || others.length > 0 ? [] : [[voice, provider] as const]
          )
        )
    )
  )

const listedBy = <E>(
  batch: Batch,
  service: SpeechAccess<E>,
  voices: ReadonlyArray<VoiceId>,
  notes: Array<string>
) =>
  // An absent service is reported after 8 s; without this, the reads would be retried silently until the timeout.
  Effect.zipRight(greeted(batch), readVoiceLists()).pipe(
    Effect.timeoutFail({
      duration: listsWithin,
      onTimeout: () => new InvalidResponse({ words: `no response within ${listsWithin}` })
    }),
    Effect.provide([preliminaryGateway(service, batch), warningsTo(notes)]),
    Effect.mapError((cause) => new VoicesUnlisted({ voices, cause })),
    Effect.flatMap((lists) => providersIn(voices, lists, batch.manifest))
  )

/** Returns a batch's voices without a provider: of jobs, and of speakers whose job has no provider either. */
export const voicesWithoutProvider = ({ jobs }: Pick<Batch, "jobs">): ReadonlyArray<VoiceId> =>
  Array.dedupe(
    jobs.flatMap(({ speakers, voice, cast }) =>
      voice.provider !== undefined
        ? []
        : [voice, ...Object.values(speakers), ...Object.values(cast?.speakers ?? {}), ...(cast?.pool ?? [])]
            .filter(({ provider }) => provider === undefined)
            .flatMap((named) => named.voice ?? [])
    )
  )

/** Returns the batch with these providers filled in for voices without one. */
export const withProviders = (batch: Batch, providers: ReadonlyMap<VoiceId, ProviderId>): Batch => {
  const complete = (job: Job): Job => {
    const { voice, speakers, cast } = job
    if (voice.provider !== undefined) return job
    const found = <
      V extends { readonly provider?: ProviderId | undefined; readonly voice?: VoiceId | undefined }
    >(
      named: V
    ): V => {
      const provider = named.voice === undefined ? undefined : providers.get(named.voice)
      return named.provider !== undefined || provider === undefined ? named : { ...named, provider }
    }
    const all = (named: Job["speakers"]) =>
      Object.fromEntries(Object.entries(named).map(([name, own]) => [name, found(own)]))
    return {
      ...job,
      voice: found(voice),
      speakers: all(speakers),
      ...(cast === undefined
        ? {}
        : { cast: { ...cast, speakers: all(cast.speakers), pool: cast.pool.map(found) } })
    }
  }
  return {
    ...batch,
    jobs: Array.map(batch.jobs, complete),
    ...(batch.every === undefined ? {} : { every: batch.every.map(complete) })
  }
}

/** All voices by provider and id. */
export type VoiceLists = ReadonlyMap<ProviderId, ReadonlyMap<string, VoiceTraits>>

/** Reads the voice lists of all providers. */
export const readVoiceLists = Effect.fn("VoiceProviders.readVoiceLists")(function* () {
  const { reads } = yield* Gateway
  const { providers } = yield* reads.providers
  const lists = new Map<ProviderId, ReadonlyMap<string, VoiceTraits>>()
  for (const { provider } of providers) {
    const known = new Map<string, VoiceTraits>()
    for (let page = 1; page <= maxPages; page++) {
      const { voices } = yield* reads.voices({ provider, page, limit: 100 })
      const before = known.size
      for (const voice of voices) known.set(voice.voice_id, voice)
      if (known.size === before) break
    }
    lists.set(ProviderId.make(provider), known)
  }
  return lists
})

/** Finds voices in the service's lists; none if the lists cannot be read. */
export const traitsIn = <E>(batch: Batch, service: SpeechAccess<E>) =>
  Effect.zipRight(greeted(batch), readVoiceLists()).pipe(
    Effect.timeout(listsWithin),
    Effect.provide([preliminaryGateway(service, batch), warningsTo([])]),
    Effect.map(
      (lists): TraitsOf =>
        ({ provider, voice }) =>
          provider === undefined ? undefined : lists.get(provider)?.get(voice ?? "")
    ),
    Effect.orElseSucceed((): TraitsOf => () => undefined)
  )

/** Maximum pages of voices to read per provider, in case a service's list never ends. */
const maxPages = 200

/** Returns the provider of each voice; fails with every voice that no provider has, or several. */
export const providersIn = (
  voices: ReadonlyArray<VoiceId>,
  lists: VoiceLists,
  file: string
): Effect.Effect<ReadonlyMap<VoiceId, ProviderId>, InputRejected> => {
  const found = new Map<VoiceId, ProviderId>()
  const faults: Array<string> = []
  for (const voice of voices) {
    const [first, ...others] = [...lists].flatMap(([provider, known]) => (known.has(voice) ? [provider] : []))
    if (first !== undefined && others.length === 0) found.set(voice, first)
    else faults.push(first === undefined ? unknown(voice, lists) : ambiguous(voice, [first, ...others]))
  }
  return Array.isNonEmptyReadonlyArray(faults) ? rejectInputs(file, faults) : Effect.succeed(found)
}

const ambiguous = (voice: VoiceId, providers: ReadonlyArray<ProviderId>): string =>
  `${providers.join(" and ")} have a voice "${voice}"; choose one with --provider, or with provider: in the manifest`

const unknown = (voice: VoiceId, lists: VoiceLists): string => {
  const near = [...lists].flatMap(([provider, known]) => {
    const name = nearestName(voice, [...known.keys()])
    return name === undefined ? [] : [`"${name}" of ${provider}`]
  })
  const meant = near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`
  return `no provider of the service has a voice "${voice}"${meant} (dubwright voices lists all)`
}
