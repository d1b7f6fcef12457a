/** Directives in a line's text, such as `{voice: vi-anna, speed: 1.2}` or `{say: the words to speak}`. */
import { Either } from "effect"
import type { Casting } from "../../domain/speech/Casting.ts"
import { ModelId, ProviderId, SpeakerName, VoiceId } from "../../domain/values/Ids.ts"
import { tonePattern } from "../../domain/values/Tone.ts"

/** Settings of one line; absent ones come from its speaker and its job. */
export type InlineDirectives = {
  readonly [K in keyof Casting]?: Exclude<Casting[K], undefined>
} & {
  readonly speaker?: SpeakerName
  /** Words to speak instead of the written ones. */
  readonly say?: string
}

const keys = "voice|provider|model|speed|vol|pitch|tone|speaker|say"
const firstKey = new RegExp(`^\\s*(?:${keys})\\s*:`, "iu")

/** Whether the text between braces is a directive, as opposed to words or another tool's codes. */
export const isInlineDirective = (inner: string): boolean => firstKey.test(inner)

/** Returns the directives at the start of a line, as written; empty if there are none. */
export const leadingDirectives = (line: string): string => {
  const braces = /^(?:\s*\{[^{}]*\})+\s*/u.exec(line)?.[0] ?? ""
  return Array.from(braces.matchAll(/\{([^{}]*)\}/gu)).every((match) => isInlineDirective(match[1] ?? ""))
    ? braces
    : ""
}

/** Returns a text without its directives, as captions show it. */
export const withoutDirectives = (text: string): string =>
  text.replaceAll(/\{([^{}]*)\}[ \t]*/gu, (whole, inner: string) => (isInlineDirective(inner) ? "" : whole))

/** A text with its directives extracted. */
export interface DirectedText {
  readonly text: string
  readonly overrides: InlineDirectives
  /** One sentence for each invalid directive. */
  readonly faults: ReadonlyArray<string>
}

/**
 * Extracts the directives from a text. Braces contain settings such as `speed: 1.2`, separated by commas. A value that
 * contains a comma must be quoted; an unquoted `say` extends to the closing brace. The last setting of a key wins.
 */
export const extractDirectives = (text: string): DirectedText => {
  if (!text.includes("{")) return { text, overrides: {}, faults: [] }
  const faults: Array<string> = []
  let overrides: InlineDirectives = {}
  const left = text.replace(/\{([^{}]*)\}/gu, (whole, inner: string) => {
    if (!isInlineDirective(inner)) return whole
    for (const [key, value] of directivesIn(inner))
      Either.match(parseDirective(key.toLowerCase(), value), {
        onLeft: (why) => faults.push(`{${inner}}: ${why}`),
        onRight: (directive) => {
          overrides = { ...overrides, ...directive }
        }
      })
    return " "
  })
  return { text: left, overrides, faults }
}

const directivesIn = (inner: string): ReadonlyArray<readonly [key: string, value: string]> => {
  const directive = /\s*([\p{L}]+)\s*:\s*(?:"([^"]*)"|'([^']*)'|((?<=say\s*:\s*)[^]*|[^,]*))\s*(?:,|$)/giuy
  const found: Array<readonly [string, string]> = []
  for (const match of inner.matchAll(directive))
    found.push([match[1] ?? "", (match[2] ?? match[3] ?? match[4] ?? "").trim()])
  return found
}

/** Parses one setting; fails with the reason if it is invalid. */
export const parseDirective = (key: string, value: string): Either.Either<InlineDirectives, string> => {
  if (value === "") return Either.left(`${key} has no value; write {${key}: …}`)
  switch (key) {
    case "voice":
      return Either.right({ voice: VoiceId.make(value) })
    case "provider":
      return Either.right({ provider: ProviderId.make(value) })
    case "model":
      return Either.right({ model: ModelId.make(value) })
    case "tone":
      return tonePattern.test(value)
        ? Either.right({ tone: value })
        : Either.left(`tone: expected one or a few words, such as whispers, found "${value}"`)
    case "speaker":
      return Either.right({ speaker: SpeakerName.make(value) })
    case "say":
      return Either.right({ say: value })
    case "speed":
      return Either.map(numberOf(key, value, 0), (speed) => ({ speed }))
    case "vol":
      return Either.map(numberOf(key, value, 0), (vol) => ({ vol }))
    case "pitch":
      return Either.map(numberOf(key, value, Number.NEGATIVE_INFINITY), (pitch) => ({ pitch }))
    default:
      return Either.left(`unknown key ${key}; expected one of ${keys.replaceAll("|", ", ")}`)
  }
}

const numberOf = (key: string, value: string, above: number): Either.Either<number, string> => {
  const number = Number(value)
  return Number.isFinite(number) && number > above
    ? Either.right(number)
    : Either.left(`${key}: "${value}" is not a number${above === 0 ? " above zero" : ""}`)
}
