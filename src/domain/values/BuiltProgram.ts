/** The programs that threads run: where the build has put them, and what a thread may take. */
import { fileURLToPath } from "node:url"

/**
 * A program's file, by its name: beside the bundle, or in dist/ where the sources run as they are. `from` is the
 * address of the module that asks; undefined where it was not built.
 */
export const builtProgram = (
  name: string,
  from: string,
  isThere: (file: string) => boolean
): string | undefined =>
  ["./", "../../dist/", "../../../dist/"]
    .map((folder) => fileURLToPath(new URL(folder + name, from)))
    .find(isThere)

/** What a thread throws away is little and short-lived, in MB: with more room for it, it would only be larger. */
export const resourceLimits = { maxYoungGenerationSizeMb: 3 }
