/** Wishes for one line, written into its text: `{voice: vi-anna, speed: 1.2}` or `{say: how it is to be said}`. */
import { Either } from "effect"
import type { Casting } from "../../domain/speech/Casting.ts"
import { ModelId, ProviderId, SpeakerName, VoiceId } from "../../domain/values/Ids.ts"

/** What a line's text wishes for itself; whatever is absent comes from its speaker and its job. */
export type InlineDirectives = {
  readonly [K in keyof Casting]?: Exclude<Casting[K], undefined>
} & {
  readonly speaker?: SpeakerName
  /** What is said instead of the words written. */
  readonly say?: string
}

const keys = "voice|provider|model|speed|vol|pitch|speaker|say"
const firstKey = new RegExp(`^\\s*(?:${keys})\\s*:`, "iu")

/** Whether what stands between braces is meant as overrides, and not as words or another tool's code. */
export const isInlineDirective = (inner: string): boolean => firstKey.test(inner)

/** The overrides that a line begins with, as written. */
export const leadingDirectives = (line: string): string => {
  const braces = /^(?:\s*\{[^{}]*\})+\s*/u.exec(line)?.[0] ?? ""
  return Array.from(braces.matchAll(/\{([^{}]*)\}/gu)).every((match) => isInlineDirective(match[1] ?? ""))
    ? braces
    : ""
}

/** Text with its overrides taken out. */
export interface DirectedText {
  readonly text: string
  readonly overrides: InlineDirectives
  /** One sentence for each wish that cannot be met. */
  readonly faults: ReadonlyArray<string>
}

/**
 * Takes the overrides out of a text. In braces stand wishes such as `speed: 1.2`, with commas between; a value that
 * holds a comma stands in quotes, and an unquoted `say` goes on to the closing brace. Where two wishes name the
 * same thing the later one counts.
 */
export const extractDirectives = (text: string): DirectedText => {
  if (!text.includes("{")) return { text, overrides: {}, faults: [] }
  const faults: Array<string> = []
  let overrides: InlineDirectives = {}
  const left = text.replace(/\{([^{}]*)\}/gu, (whole, inner: string) => {
    if (!isInlineDirective(inner)) return whole
    for (const [key, value] of wishesIn(inner))
      Either.match(parseDirective(key.toLowerCase(), value), {
        onLeft: (why) => faults.push(`{${inner}}: ${why}`),
        onRight: (wish) => {
          overrides = { ...overrides, ...wish }
        }
      })
    return " "
  })
  return { text: left, overrides, faults }
}

const wishesIn = (inner: string): ReadonlyArray<readonly [key: string, value: string]> => {
  const wish = /\s*([\p{L}]+)\s*:\s*(?:"([^"]*)"|'([^']*)'|((?<=say\s*:\s*)[^]*|[^,]*))\s*(?:,|$)/giuy
  const found: Array<readonly [string, string]> = []
  for (const match of inner.matchAll(wish))
    found.push([match[1] ?? "", (match[2] ?? match[3] ?? match[4] ?? "").trim()])
  return found
}

/** One wish by its name, or why it cannot be met. */
export const parseDirective = (key: string, value: string): Either.Either<InlineDirectives, string> => {
  if (value === "") return Either.left(`${key} has no value`)
  switch (key) {
    case "voice":
      return Either.right({ voice: VoiceId.make(value) })
    case "provider":
      return Either.right({ provider: ProviderId.make(value) })
    case "model":
      return Either.right({ model: ModelId.make(value) })
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
      return Either.left(`${key} is not known: expected one of ${keys.replaceAll("|", ", ")}`)
  }
}

const numberOf = (key: string, value: string, above: number): Either.Either<number, string> => {
  const number = Number(value)
  return Number.isFinite(number) && number > above
    ? Either.right(number)
    : Either.left(`${key}: "${value}" is not a number${above === 0 ? " above zero" : ""}`)
}
