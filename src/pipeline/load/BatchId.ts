/** By what a batch is known in its state folder: its manifest, or its bare files, and what was chosen of it. */

/** `path` is absolute. */
export const batchKey = (path: string, only: string | undefined): string =>
  only === undefined ? path : `${path}${choice}${only}`

/** The path of the manifest that a batch was made of; undefined for bare files, which may be several or a pattern. */
export const manifestOf = (key: string): string | undefined => {
  const [path = ""] = key.split(choice)
  return isManifest(path) ? path : undefined
}

/** Whether a file is a manifest, by its name. */
export const isManifest = (file: string): boolean =>
  manifestEndings.some((ending) => file.toLowerCase().endsWith(ending))

export const manifestEndings: ReadonlyArray<string> = [".yaml", ".yml", ".json"]

const choice = " --only "
