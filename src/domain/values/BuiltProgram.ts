/** Locations of the worker thread bundles, and the memory limits of worker threads. */
import { fileURLToPath } from "node:url"

/**
 * Returns the path of a worker bundle: beside the running bundle, or in dist/ when running from source. `from` is the
 * URL of the calling module. Undefined if the bundle was not built.
 */
export const builtProgram = (
  name: string,
  from: string,
  isThere: (file: string) => boolean
): string | undefined =>
  ["./", "../../dist/", "../../../dist/"]
    .map((folder) => fileURLToPath(new URL(folder + name, from)))
    .find(isThere)

/** Worker threads produce little short-lived garbage, in MB. A larger young generation would only use more memory. */
export const resourceLimits = { maxYoungGenerationSizeMb: 3 }
