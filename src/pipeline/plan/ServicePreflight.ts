/** Checks that the service has the providers and voices a run needs, before anything is charged. */
import { Array, Effect, Option } from "effect"
import type { Casting } from "../../domain/speech/Casting.ts"
import { LanguageTag, primaryLanguage, type ProviderId } from "../../domain/values/Ids.ts"
import { ownNameOf } from "../../domain/values/LanguageName.ts"
import type { VoiceTraits } from "../../domain/speech/VoiceTraits.ts"
import { clearLanguageOf, isAlike } from "../../script/language/LanguageWords.ts"
import { scriptOf } from "../../script/language/WritingSystems.ts"
import { nearestName } from "../../domain/values/DidYouMean.ts"
import type { Utterance } from "../../domain/speech/Utterance.ts"
import { InvalidResponse } from "../../gateway/GatewayErrors.ts"
import { Gateway } from "../../gateway/Gateway.ts"
import { InputRejected, rejectInputs } from "../load/InputRejected.ts"
import type { BatchPlan } from "./BatchPlan.ts"
import { warn, warningsTo } from "../Progress.ts"
import { greeted } from "./ServicePresence.ts"
import { preliminaryGateway, type SpeechAccess } from "./SpeechAccess.ts"

/** Maximum pages of voices to read per provider, in case a service's list never ends. */
const maxPages = 200

/**
 * Fails with every provider and voice that `unsent` utterances need and the service does not list. Utterances that are
 * spoken or in flight need no check. If a list cannot be read or is empty, the check passes: the service will reject
 * unknown ones itself. Also fails if there is no service at the address.
 */
export const checkService = Effect.fn("ServicePreflight.checkService")(function* (
  plan: BatchPlan,
  unsent: ReadonlyArray<Utterance>
) {
  const { batch } = plan
  const castings = Array.dedupe(unsent.map(({ casting }) => casting))
  const providers = Array.dedupe(castings.map(({ provider }) => provider))
  const faults = unusableHere(castings, batch)
  if (faults.length === 0) {
    yield* greeted(batch)
    faults.push(...(yield* strangeProviders(providers)))
  }
  for (const provider of providers) {
    if (faults.some(({ about }) => about === provider)) continue
    const wanted = Array.dedupe(
      castings.filter((casting) => casting.provider === provider).map(({ voice }) => voice)
    ).filter((voice) => !faults.some(({ about }) => about === voice))
    if (wanted.length === 0) continue
    const { unknown, known } = yield* strangeVoices(provider, wanted)
    faults.push(
      ...unknown.map(({ about, message }) => ({
        about,
        message: message + whereWanted(plan, provider, about)
      })),
      ...foreignTexts(plan, unsent, (casting) =>
        casting.provider === provider ? known.get(casting.voice) : undefined
      )
    )
  }
  yield* Option.match(rejectedFor(batch, faults), { onNone: () => Effect.void, onSome: Effect.fail })
})

const rejectedFor = ({ manifest }: BatchPlan["batch"], found: ReadonlyArray<Stranger>) =>
  Array.isNonEmptyReadonlyArray(found) ? Option.some(rejectInputs(manifest, found)) : Option.none()

/** What the service in this process cannot speak with: it would only postpone these tasks. */
const unusableHere = (castings: ReadonlyArray<Casting>, { unusable }: BatchPlan["batch"]) =>
  Array.dedupe(castings.flatMap(({ provider, voice }) => [provider, voice])).flatMap((about) => {
    const message = unusable?.get(about)
    return message === undefined ? [] : [{ about: String(about), message }]
  })

/** Letters from which a text's script counts: a film may have a sentence in another one. */
const clearLength = 40

/** What a text is clearly written in, by its letters or its words, and which languages' voices read that. */
const writingOf = (text: string) => {
  const script = (text.match(/\p{L}/gu)?.length ?? 0) < clearLength ? undefined : scriptOf(text)
  if (script !== undefined && script !== "Latin") {
    // The own names of some languages without a two-letter tag are not known.
    const isRead = (tag: string) => tag.length !== 2 || scriptOf(ownNameOf(LanguageTag.make(tag))) === script
    return { name: `${script} letters`, isRead }
  }
  const language = clearLanguageOf(text)
  return language === undefined
    ? undefined
    : { name: language, isRead: (tag: string) => isAlike(tag, language) }
}

/** Jobs whose text is clearly in a language that its voice does not speak. */
export const foreignTexts = (
  { jobs }: BatchPlan,
  unsent: ReadonlyArray<Utterance>,
  traitsOf: (casting: Casting) => VoiceTraits | undefined
): ReadonlyArray<Stranger> => {
  const sent = new Set(unsent.map(({ key }) => key))
  return jobs.flatMap(({ job, uses }) => {
    const byVoice = Array.groupBy(
      uses.filter(({ utterance }) => sent.has(utterance.key)),
      ({ utterance: { casting } }) => `${casting.provider}/${casting.voice}`
    )
    return Object.values(byVoice).flatMap(([first, ...others]): ReadonlyArray<Stranger> => {
      const { casting } = first.utterance
      const languages = (traitsOf(casting)?.languages ?? []).map(primaryLanguage)
      if (languages.length === 0) return []
      const writing = writingOf([first, ...others].map(({ utterance }) => utterance.text).join("\n"))
      if (writing === undefined || languages.some(writing.isRead)) return []
      const message = `job ${job.id}: voice "${casting.voice}" speaks ${languages.join(", ")}, and its text is in ${writing.name}, first in cue ${first.lines[0].cue}; choose a voice of that language (dubwright voices lists them), or correct language`
      return [{ about: casting.voice, message }]
    })
  })
}

/** Names the first line that uses a voice: it may come from the manifest, a cue sheet, the subtitle or an override. */
const whereWanted = ({ jobs }: BatchPlan, provider: ProviderId, voice: string): string => {
  for (const { job, lines } of jobs) {
    const line = lines.find(({ casting }) => casting.provider === provider && casting.voice === voice)
    if (line === undefined) continue
    const who = line.speaker === undefined ? "" : ` for ${line.speaker}`
    return `; job ${job.id} first uses it${who} in cue ${line.cue}`
  }
  return ""
}

/** An optional read, capped at 30 s. */
export const withinReadLimit = <A, E, R>(
  read: Effect.Effect<A, E, R>
): Effect.Effect<A, E | InvalidResponse, R> =>
  Effect.timeoutFail(read, {
    duration: "30 seconds",
    onTimeout: () => new InvalidResponse({ words: "timed out after 30 seconds" })
  })

interface Stranger {
  readonly about: string
  readonly message: string
}

const strangeProviders = Effect.fnUntraced(function* (wanted: ReadonlyArray<ProviderId>) {
  const gateway = yield* Gateway
  const listed = yield* Effect.option(withinReadLimit(gateway.reads.providers))
  const known = listed._tag === "Some" ? listed.value.providers.map(({ provider }) => provider) : []
  if (known.length === 0) return []
  return wanted
    .filter((provider) => !known.includes(provider))
    .map((provider): Stranger => ({ about: provider, message: unknown("provider", provider, known) }))
})

/** Reads a provider's voices page by page until all wanted ones have appeared, or a page has no new voice. */
const strangeVoices = Effect.fnUntraced(function* (provider: ProviderId, wanted: ReadonlyArray<string>) {
  const gateway = yield* Gateway
  const known = new Map<string, VoiceTraits>()
  for (let page = 1; page <= maxPages; page++) {
    const read = yield* Effect.either(withinReadLimit(gateway.reads.voices({ provider, page, limit: 100 })))
    if (read._tag === "Left") {
      yield* warn(`the service's voices could not be checked: ${read.left.message}`)
      return { unknown: [], known }
    }
    const before = known.size
    for (const voice of read.right.voices) known.set(voice.voice_id, voice)
    if (wanted.every((voice) => known.has(voice)) || known.size === before) break
  }
  const ids = [...known.keys()]
  const missing = known.size === 0 ? [] : wanted.filter((voice) => !known.has(voice))
  return {
    known,
    unknown: missing.map((voice): Stranger => ({
      about: voice,
      message: unknown(`voice of ${provider}`, voice, ids)
    }))
  }
})

const unknown = (kind: string, id: string, known: ReadonlyArray<string>): string => {
  const near = nearestName(id, known)
  const some =
    known.length <= 8 ? known.join(", ") : `${known.slice(0, 8).join(", ")} … (dubwright voices lists all)`
  return `unknown ${kind} "${id}"${near === undefined ? "" : ` (did you mean ${near}?)`}; the service has ${some}`
}

/** Timeout for listing the voices. */
const checkedWithin = "20 seconds"

/** Result of the voice check. */
export interface VoicesSeen {
  /** The voices and providers of the plan that the service lacks; none if it has them all, or could not be asked. */
  readonly unknown: Option.Option<InputRejected>
  /** Why the check is incomplete, and the service's warnings. */
  readonly notes: ReadonlyArray<string>
}

/** Checks that the service can speak `unsent`. */
export const findUnknownVoices = Effect.fn("ServicePreflight.findUnknownVoices")(function* <
  E extends { readonly message: string }
>(plan: BatchPlan, unsent: ReadonlyArray<Utterance>, service: SpeechAccess<E>) {
  const notes: Array<string> = []
  const unasked = (why: string) =>
    Effect.sync(() => {
      notes.push(`voices were not checked: ${why}`)
      return Option.none<InputRejected>()
    })
  const offered = unsent.every(
    ({ casting }) => service.local.offers(casting) && plan.batch.unusable?.has(casting.voice) !== true
  )
  if (plan.batch.service === "embedded" && offered) {
    const foreign = foreignTexts(plan, unsent, service.local.traitsOf)
    return { unknown: rejectedFor(plan.batch, foreign), notes } satisfies VoicesSeen
  }
  const unknown = yield* checkService(plan, unsent).pipe(
    Effect.as(Option.none<InputRejected>()),
    Effect.provide([preliminaryGateway(service, plan.batch), warningsTo(notes)]),
    Effect.timeoutFail({
      duration: checkedWithin,
      onTimeout: () => ({ message: `the service did not respond within ${checkedWithin}` })
    }),
    Effect.catchAll((error) =>
      error instanceof InputRejected ? Effect.succeedSome(error) : unasked(error.message)
    )
  )
  return { unknown, notes } satisfies VoicesSeen
})
