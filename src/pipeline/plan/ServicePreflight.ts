/** The last look before anything is paid for: whether the service knows the providers and voices that are asked for. */
import { Array, Effect } from "effect"
import type { ProviderId } from "../../domain/values/Ids.ts"
import { nearestName } from "../../domain/values/DidYouMean.ts"
import type { Utterance } from "../../domain/speech/Utterance.ts"
import { InvalidResponse } from "../../gateway/GatewayErrors.ts"
import { Gateway } from "../../gateway/Gateway.ts"
import { InputFault, InputRejected } from "../load/InputRejected.ts"
import type { BatchPlan } from "./BatchPlan.ts"
import { Progress } from "../Progress.ts"
import { greeted } from "./ServicePresence.ts"

/** Pages of voices that are read of a provider before it is taken for one that lists without end. */
const mostPages = 200

/**
 * Fails with every provider and voice that the service does not list and that something to be sent, `unsent`, wants:
 * what is spoken or under way needs no voice any more. A service whose lists cannot be read, or are empty, is believed
 * to know them: it will say so itself. Fails too where there is no service at the address.
 */
export const checkService = Effect.fn("Preflight.preflight")(function* (
  plan: BatchPlan,
  unsent: ReadonlyArray<Utterance>
) {
  const { batch } = plan
  yield* greeted(batch)
  const castings = Array.dedupe(unsent.map(({ casting }) => casting))
  const providers = Array.dedupe(castings.map(({ provider }) => provider))
  const strangers = yield* strangeProviders(providers)
  const faults = [...strangers]
  for (const provider of providers) {
    if (faults.some(({ about }) => about === provider)) continue
    const wanted = Array.dedupe(
      castings.filter((casting) => casting.provider === provider).map(({ voice }) => voice)
    )
    const unknown = yield* strangeVoices(provider, wanted)
    faults.push(
      ...unknown.map(({ about, message }) => ({
        about,
        message: message + whereWanted(plan, provider, about)
      }))
    )
  }
  const told = faults.map(({ message }) => InputFault.make({ file: batch.manifest, message }))
  if (Array.isNonEmptyArray(told)) return yield* InputRejected.make({ faults: told })
})

/** Which line wants a voice first: it may be named in the manifest, a sheet, the subtitle itself, or an override. */
const whereWanted = ({ jobs }: BatchPlan, provider: ProviderId, voice: string): string => {
  for (const { job, lines } of jobs) {
    const line = lines.find(({ casting }) => casting.provider === provider && casting.voice === voice)
    if (line === undefined) continue
    const who = line.speaker === undefined ? "" : ` for ${line.speaker}`
    return `; job ${job.id} wants it${who} first in cue ${line.cue}`
  }
  return ""
}

/** A read that a run can do without, which is not waited for as long as what it needs. */
export const withinReadLimit = <A, E, R>(
  read: Effect.Effect<A, E, R>
): Effect.Effect<A, E | InvalidResponse, R> =>
  Effect.timeoutFail(read, {
    duration: "30 seconds",
    onTimeout: () => new InvalidResponse({ words: "none within 30 seconds" })
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

/** Reads a provider's voices page by page until all that are wanted were seen, or a page brings nothing new. */
const strangeVoices = Effect.fnUntraced(function* (provider: ProviderId, wanted: ReadonlyArray<string>) {
  const gateway = yield* Gateway
  const progress = yield* Progress
  const known = new Set<string>()
  for (let page = 1; page <= mostPages; page++) {
    const read = yield* Effect.either(withinReadLimit(gateway.reads.voices({ provider, page, limit: 100 })))
    if (read._tag === "Left") {
      yield* progress.emit({
        _tag: "Warning",
        message: `the service's voices could not be checked: ${read.left.message}`
      })
      return []
    }
    const before = known.size
    for (const { voice_id } of read.right.voices) known.add(voice_id)
    if (wanted.every((voice) => known.has(voice)) || known.size === before) break
  }
  if (known.size === 0) return []
  return wanted
    .filter((voice) => !known.has(voice))
    .map((voice): Stranger => ({ about: voice, message: unknown(`voice of ${provider}`, voice, [...known]) }))
})

const unknown = (kind: string, id: string, known: ReadonlyArray<string>): string => {
  const near = nearestName(id, known)
  const some =
    known.length <= 8 ? known.join(", ") : `${known.slice(0, 8).join(", ")} … (dubwright voices lists all)`
  return `unknown ${kind} "${id}"${near === undefined ? "" : ` (did you mean ${near}?)`}; the service has ${some}`
}
