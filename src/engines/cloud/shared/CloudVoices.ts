/** Reads a provider's list of voices: page by page, with the gender of each voice. */
import { Effect } from "effect"
import type { EngineVoice } from "../../Engine.ts"

/** A page of the list. */
interface VoicePage {
  readonly voices: ReadonlyArray<EngineVoice>
  /** Identifies the next page; undefined after the last one. */
  readonly next: string | undefined
}

/** Pages to read at most, in case a list never ends. */
const maxPages = 100

/** Returns the voices of all pages. `page` is called without an argument for the first one. */
export const pagedVoices = <E, R>(page: (after: string | undefined) => Effect.Effect<VoicePage, E, R>) =>
  Effect.gen(function* () {
    const found: Array<EngineVoice> = []
    let after: string | undefined
    for (let count = 0; count < maxPages; count++) {
      const { voices, next } = yield* page(after)
      found.push(...voices)
      if (next === undefined) break
      after = next
    }
    return found
  })

const genders: Readonly<Record<string, "female" | "male">> = {
  feminine: "female",
  female: "female",
  masculine: "male",
  male: "male"
}

/** Returns the field of a voice for a provider's word; none if it is unknown or neutral. */
export const genderOf = (word: string | null | undefined): Pick<EngineVoice, "gender"> => {
  const gender = genders[(word ?? "").toLowerCase()]
  return gender === undefined ? {} : { gender }
}
