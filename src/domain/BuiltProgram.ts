/** Where the build has put the programs that threads run. */
import { fileURLToPath } from "node:url"

/**
 * A program's file, by its name: beside the bundle, or in dist/ where the sources run as they are. `from` is the address of the module
 * that asks; undefined where it was not built.
 */
export const builtProgram = (
  name: string,
  from: string,
  isThere: (file: string) => boolean
): string | undefined =>
  ["./", "../../dist/"].map((folder) => fileURLToPath(new URL(folder + name, from))).find(isThere)
