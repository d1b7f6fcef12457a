/** Settings that all cloud engines share. */
import { Config, Effect, Option, Redacted } from "effect"
import type { EngineVoice } from "../../Engine.ts"

export interface CloudSettings {
  /** The engine's name in errors and settings. */
  readonly name: string
  /** The environment variable that holds the key; default: the provider's usual one. */
  readonly keyVariable?: string
  /** The address of the provider; default: its public one. */
  readonly baseUrl?: string
  /** Voices in addition to those that the provider lists. */
  readonly voices?: ReadonlyArray<EngineVoice>
  /** Whether to request the voices from the provider; default true. */
  readonly listVoices?: boolean
  /** Languages whose voices are offered, such as `vi` or `pt-BR`; default: all. */
  readonly languages?: ReadonlyArray<string>
  /** Requests in flight at once; default: the limit of the provider's smallest plan. */
  readonly concurrency?: number
  /** Maximum length of a text, in the provider's unit; default: the provider's limit. */
  readonly maxCharacters?: number
  /** Maximum seconds of a request; default 120. */
  readonly timeout?: number
  /** Whether to write out numbers, dates and units first; default false. */
  readonly normalise?: boolean
  /** The price that a service charges its clients, unless its models state another. */
  readonly creditsPerCharacter?: number
}

/** Reads an environment variable; none if it is missing or empty. */
export const secretIn = (variable: string): Effect.Effect<Option.Option<Redacted.Redacted>> =>
  Config.redacted(variable).pipe(
    Config.option,
    Effect.orDie,
    Effect.map(Option.filter((secret) => Redacted.value(secret).trim() !== ""))
  )

/** Reads a setting that is not a secret from the environment; undefined if it is missing or empty. */
export const settingIn = (variable: string): Effect.Effect<string | undefined> =>
  Effect.map(secretIn(variable), (found) =>
    Option.getOrUndefined(Option.map(found, (value) => Redacted.value(value).trim()))
  )
