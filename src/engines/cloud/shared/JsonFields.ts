/** Reads fields of unchecked JSON by path. */

/**
 * Returns the value at a path such as `error.details.0.reason`; undefined if a step is missing. An empty path names the
 * value itself.
 */
export const fieldAt = (json: unknown, path: string): unknown =>
  (path === "" ? [] : path.split(".")).reduce<unknown>(
    (value, name) => (typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined),
    json
  )

/** Returns the non-empty string at a path. */
export const textAt = (json: unknown, path: string): string | undefined => {
  const value = fieldAt(json, path)
  return isText(value) ? value : undefined
}

/** Returns the list at a path; empty if there is none. */
export const listAt = (json: unknown, path: string): ReadonlyArray<unknown> => {
  const value = fieldAt(json, path)
  return Array.isArray(value) ? value : []
}

/** Returns the non-empty strings at paths, each a string or a list. */
export const textsAt = (json: unknown, ...paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths.flatMap((path) => [textAt(json, path), ...listAt(json, path)]).filter(isText)

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""
