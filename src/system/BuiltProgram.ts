/** Locations of the worker thread bundles, and the memory limits of worker threads. */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** Returns the path of a worker bundle: beside the running bundle, or in dist/ when running from source. */
export const builtProgram = (name: string): string | undefined =>
  ["./", "../../dist/"]
    .map((folder) => fileURLToPath(new URL(folder + name, import.meta.url)))
    .find((file) => existsSync(file))

/** Worker threads produce little short-lived garbage, in MB. A larger young generation would only use more memory. */
export const resourceLimits = { maxYoungGenerationSizeMb: 3 }
