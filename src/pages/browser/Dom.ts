/** DOM helpers: element lookup by id, and text normalized for search. */

/** Returns the element with an id. Throws if it is missing or of another kind. */
export const byId = <E extends Element>(id: string, kind: new () => E): E => {
  const found = document.getElementById(id)
  if (found instanceof kind) return found
  throw new Error(`the page has no ${kind.name} with the id ${id}`)
}

/** Returns the element with an id, or undefined if it is missing or of another kind. */
export const maybeById = <E extends Element>(id: string, kind: new () => E): E | undefined => {
  const found = document.getElementById(id)
  return found instanceof kind ? found : undefined
}

/** Normalizes text for search: lower case, no diacritics, single spaces. */
export const folded = (text: string): string =>
  text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase().replaceAll("đ", "d").replaceAll(/\s+/gu, " ")

/** Formats a position to a tenth of a second: `1:02:03.4`. */
export const shortClock = (seconds: number): string => {
  const tenths = Math.floor(Math.max(0, seconds) * 10 + 1e-6)
  const hours = Math.floor(tenths / 36_000)
  const minutes = Math.floor(tenths / 600) % 60
  const rest = ((tenths % 600) / 10).toFixed(1).padStart(4, "0")
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${`${minutes}`.padStart(2, "0")}:${rest}`
}
