/** Composes the create of an utterance as it is sent, with its idempotency key. */
import { createHash } from "node:crypto"
import { Duration, Effect, Record } from "effect"
import { type Dialect, defaultDialect, fillTemplate } from "../../domain/manifest/ServiceDialect.ts"
import { controlNames, neutralControls } from "../../domain/speech/Casting.ts"
import type { ProviderProfile } from "../../domain/speech/ProviderProfile.ts"
import type { Utterance } from "../../domain/speech/Utterance.ts"
import type { TaskMarker } from "../../domain/task/TaskMarker.ts"
import { fieldsOf } from "../exchange/ResponseReading.ts"

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
  const controls = controlNames.map((name) => {
    const value = utterance.casting[name]
    return [name, profile.controls[name] || value !== neutralControls[name] ? value : undefined] as const
  })
  const values = {
    text: utterance.text,
    provider,
    voice,
    model,
    language,
    label: label === "" ? undefined : label,
    with_transcript: profile.transcript === "with_transcript" || undefined,
    export_srt: profile.transcript === "export_srt" || undefined,
    ...Object.fromEntries(controls)
  }
  const inPath = { voice: encodeURIComponent(voice), provider: encodeURIComponent(provider) }
  const path = String(fillTemplate(dialect.paths.create, inPath) ?? dialect.paths.create)
  const fields = fillTemplate(dialect.body, values)
  const body = dialect.encoding === "json" ? JSON.stringify(fields) : formOf(fields)
  const digest = createHash("sha256").update(`${path}\n${body}`).digest("hex").slice(0, 32)
  const key = mark === undefined ? undefined : `${mark}-${digest}`
  return { path, body, encoding: dialect.encoding, key, provider }
}

/** What a create depends on besides its utterance. */
export interface CreateTerms {
  readonly dialect?: Dialect | undefined
  /** The language of the utterance's job, if the manifest names one. */
  readonly language?: string | undefined
}

/** Encodes fields as a form; objects are encoded as JSON. */
const formOf = (fields: unknown): string => {
  const text = (value: unknown) => (typeof value === "object" ? JSON.stringify(value) : String(value))
  return new URLSearchParams(Record.map(fieldsOf(fields) ?? {}, text)).toString()
}

/**
 * Returns whether a create may still leave this machine. Whoever finds an announced create that was never answered
 * assumes that it left soon after its announcement. A process that was stopped in between, or that waited long for a
 * connection, must not send it any more.
 */
export type MaySend = () => boolean

/**
 * How long after its announcement a create may be sent, in milliseconds. A third of the time after which
 * `pipeline/speak/LostTaskRecovery.ts` trusts a history without the task, so that it has 20 s to arrive.
 */
const sendWindow = Duration.toMillis("10 seconds")

/**
 * Opens the window now. It closes by the steady clock, which a set clock does not change, or by the wall clock, which
 * counts the time in which the machine was suspended.
 */
export const openSendWindow: Effect.Effect<MaySend> = Effect.map(Effect.clock, (clock) => {
  const wall = clock.unsafeCurrentTimeMillis()
  const steady = clock.unsafeCurrentTimeNanos()
  return () =>
    clock.unsafeCurrentTimeMillis() - wall < sendWindow &&
    Number(clock.unsafeCurrentTimeNanos() - steady) < sendWindow * 1e6
})
