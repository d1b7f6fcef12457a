/** Reads fields of unchecked JSON by path. */

/** Returns the value at a path such as `error.details.0.reason`; undefined if any step is missing. */
export const fieldAt = (json: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (value, name) => (typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined),
      json
    )

/** Returns the non-empty string at a path. */
export const textAt = (json: unknown, path: string): string | undefined => {
  const value = fieldAt(json, path)
  return typeof value === "string" && value !== "" ? value : undefined
}

/** Returns the list at a path; empty if there is none. */
export const listAt = (json: unknown, path: string): ReadonlyArray<unknown> => {
  const value = fieldAt(json, path)
  return Array.isArray(value) ? value : []
}
