/** Composes the create of an utterance as it is sent, with its idempotency key. */
import { createHash } from "node:crypto"
import {
  type Dialect,
  defaultDialect,
  fillTemplate,
  type Placeholder
} from "../../domain/manifest/ServiceDialect.ts"
import { controlNames, neutralControls } from "../../domain/speech/Casting.ts"
import type { ProviderProfile } from "../../domain/speech/ProviderProfile.ts"
import type { Utterance } from "../../domain/speech/Utterance.ts"
import type { TaskMarker } from "../../domain/task/TaskMarker.ts"
import { fieldsOf } from "../response/ResponseReading.ts"

/** A create as it is sent. */
export interface NamedCreate {
  readonly path: string
  readonly body: string
  readonly encoding: "json" | "form"
  /** Its idempotency key, if it has one. */
  readonly key: string | undefined
  readonly provider: string
}

/**
 * Composes a create. Its idempotency key is made from the mark and from everything that the service compares. The body
 * has only the fields that the provider's profile supports.
 */
export const composeCreate = (
  utterance: Utterance,
  label: string,
  profile: ProviderProfile,
  mark?: TaskMarker,
  { dialect = defaultDialect, language }: CreateTerms = {}
): NamedCreate => {
  const { provider, voice, model } = utterance.casting
  // A neutral value is left out where the provider has no such control.
  const controls = Object.fromEntries(
    controlNames.map((name) => {
      const value = utterance.casting[name]
      return [
        name,
        profile.controls[name] === undefined && value === neutralControls[name] ? undefined : value
      ]
    })
  )
  const values: Readonly<Partial<Record<Placeholder, string | number | boolean>>> = {
    text: utterance.text,
    provider,
    voice,
    ...(profile.transcript === "with_transcript" ? { with_transcript: true } : {}),
    ...(profile.transcript === "export_srt" ? { export_srt: true } : {}),
    ...defined({ label: label === "" ? undefined : label, model, language, ...controls })
  }
  const inPath = { voice: encodeURIComponent(voice), provider: encodeURIComponent(provider) }
  const path = String(fillTemplate(dialect.paths.create, inPath) ?? dialect.paths.create)
  const fields = fillTemplate(dialect.body, values)
  const body = dialect.encoding === "json" ? JSON.stringify(fields) : formOf(fields)
  const key =
    mark === undefined
      ? undefined
      : `${mark}-${createHash("sha256").update(`${path}\n${body}`).digest("hex").slice(0, 32)}`
  return { path, body, encoding: dialect.encoding, key, provider }
}

/** What a create depends on besides its utterance. */
export interface CreateTerms {
  readonly dialect?: Dialect
  /** The language of the utterance's job, if the manifest names one. */
  readonly language?: string | undefined
}

const defined = <A>(fields: Readonly<Record<string, A | undefined>>): Readonly<Record<string, A>> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  )

/** Encodes fields as a form; objects are encoded as JSON. */
const formOf = (fields: unknown): string =>
  new URLSearchParams(
    Object.entries(fieldsOf(fields) ?? {}).map(([name, value]): [string, string] => [
      name,
      typeof value === "object" ? JSON.stringify(value) : String(value)
    ])
  ).toString()
