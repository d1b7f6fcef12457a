/** Writes SSML, the markup in which Azure, Google and Amazon take rate, volume, pitch and marks. */

/** Returns a text as XML. The caller has removed control characters and lone surrogates, which XML does not allow. */
export const xmlText = (text: string): string =>
  text.replace(/[&<>"']/gu, (character) => entities[character] ?? character)

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;"
}

/**
 * Returns the inner XML in a prosody element with the attributes that are set. If none is set, returns it unchanged.
 */
export const prosody = (
  attributes: Readonly<Record<"rate" | "volume" | "pitch", string | undefined>>,
  inner: string
): string => {
  const written = Object.entries(attributes)
    .flatMap(([name, value]) => (value === undefined ? [] : [` ${name}="${value}"`]))
    .join("")
  return written === "" ? inner : `<prosody${written}>${inner}</prosody>`
}

/** Returns a number with its sign, such as `+2.5`. */
export const signed = (value: number): string => `${value < 0 ? "" : "+"}${value}`

/** Returns a volume in decibels relative to 1. */
export const decibels = (volume: number): number => 20 * Math.log10(Math.max(volume, 1e-5))
