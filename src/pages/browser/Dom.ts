/** Reaching for the page's elements. */

/** The element of an id, which the page must hold and which must be of that kind. */
export const byId = <E extends Element>(id: string, kind: new () => E): E => {
  const found = document.getElementById(id)
  if (found instanceof kind) return found
  throw new Error(`the page holds no ${kind.name} named ${id}`)
}

/** The same where the page may do without. */
export const maybeById = <E extends Element>(id: string, kind: new () => E): E | undefined => {
  const found = document.getElementById(id)
  return found instanceof kind ? found : undefined
}

/** Text as it is searched: without case, and without the marks above and below its letters. */
export const folded = (text: string): string =>
  text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase().replaceAll("đ", "d").replaceAll(/\s+/gu, " ")

/** A position for the eye, `1:02:03.4`. */
export const shortClock = (seconds: number): string => {
  const tenths = Math.floor(Math.max(0, seconds) * 10 + 1e-6)
  const hours = Math.floor(tenths / 36_000)
  const minutes = Math.floor(tenths / 600) % 60
  const rest = ((tenths % 600) / 10).toFixed(1).padStart(4, "0")
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${`${minutes}`.padStart(2, "0")}:${rest}`
}
