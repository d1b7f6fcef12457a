/**
 * The id of a batch in its state folder, made from its manifest or bare files and its `--only` pattern. Also the names
 * of the batch's own files.
 */

/** Returns a batch's id. `path` is absolute. */
export const batchKey = (path: string, only: string | undefined): string =>
  only === undefined ? path : `${path}${choice}${only}`

/** Returns the path of a batch's manifest; undefined for a batch of bare files. */
export const manifestOf = (key: string): string | undefined => {
  const [path = ""] = key.split(choice)
  return isManifest(path) ? path : undefined
}

/** Whether a file name has a manifest's extension. */
export const isManifest = (file: string): boolean =>
  manifestEndings.some((ending) => file.toLowerCase().endsWith(ending))

export const manifestEndings: ReadonlyArray<string> = [".yaml", ".yml", ".json"]

/** Returns the path of a manifest's overrides file. */
export const overridesPath = (manifest: string): string => `${manifest}.overrides.yaml`

const choice = " --only "
