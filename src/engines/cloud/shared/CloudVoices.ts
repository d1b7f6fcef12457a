/** Reads a provider's list of voices, page by page. */
import { Effect, Schema } from "effect"
import type { EngineVoice } from "../../Engine.ts"
import type { CloudClient, CloudRequest } from "./CloudClient.ts"
import { fieldAt, listAt, textAt } from "./JsonFields.ts"

/** Where a provider's list has the facts of a voice: paths in its JSON. */
export interface VoiceFields {
  /** The list itself; empty if the response is a list. */
  readonly list: string
  readonly id: string
  readonly name: string
  readonly languages: (voice: unknown) => ReadonlyArray<string>
  readonly gender?: string
}

/** Reads the voices of a response. */
export const voicesIn = (json: unknown, fields: VoiceFields): ReadonlyArray<EngineVoice> =>
  listAt(json, fields.list).flatMap((voice) => {
    const id = textAt(voice, fields.id)
    if (id === undefined) return []
    const gender =
      genders[(fields.gender === undefined ? "" : (textAt(voice, fields.gender) ?? "")).toLowerCase()]
    const name = textAt(voice, fields.name) ?? id
    return [{ id, name, languages: fields.languages(voice), ...(gender === undefined ? {} : { gender }) }]
  })

/** Checks that a response has a list at a path. */
export const withList = (path: string) =>
  Schema.Unknown.pipe(Schema.filter((json) => Array.isArray(fieldAt(json, path))))

/** Pages to read at most, in case a list never ends. */
const maxPages = 100

/** Returns the voices of all pages. `next` returns the value that the parameter has for the next page. */
export const pagedVoices = (
  client: CloudClient,
  path: string,
  fields: VoiceFields,
  parameter: string,
  next: (page: unknown) => string | undefined
) =>
  Effect.gen(function* () {
    const found: Array<EngineVoice> = []
    let request: CloudRequest | undefined = { method: "GET", path }
    for (let count = 0; count < maxPages && request !== undefined; count++) {
      const page: unknown = yield* client.json(request, withList(fields.list))
      found.push(...voicesIn(page, fields))
      const after = next(page)
      request =
        after === undefined
          ? undefined
          : { method: "GET", path: `${path}&${parameter}=${encodeURIComponent(after)}` }
    }
    return found
  })

/** Providers' words for a gender. Voices with other words are neutral. */
const genders: Readonly<Record<string, "female" | "male">> = {
  feminine: "female",
  female: "female",
  masculine: "male",
  male: "male"
}
