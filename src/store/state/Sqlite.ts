/**
 * Selects the better-sqlite3 release for the running Node. Release 12 is built for one Node version, and crashes from
 * Node 24.19 on when a statement is garbage-collected. Release 13 uses Node-API, includes its binary, and needs Node
 * 22.
 *
 * The bundler and the test configuration redirect every import of `better-sqlite3` to this file.
 */
import { createRequire } from "node:module"
import type Sqlite from "better-sqlite3"
import { NoSqlite } from "./NoSqlite.ts"

const require = createRequire(import.meta.url)
const [major = 0] = process.versions.node.split(".").map(Number)

/** Suitable packages, the best first. The second is used if optional packages were not installed. */
const packages = major < 22 ? ["better-sqlite3"] : ["better-sqlite3-napi", "better-sqlite3"]

const load = (): typeof Sqlite => {
  let cause: unknown
  for (const name of packages) {
    try {
      const found: typeof Sqlite = require(name)
      // Loading the package does not load its binary yet.
      new found(":memory:").close()
      return found
    } catch (fault) {
      cause ??= fault
    }
  }
  throw new NoSqlite({ node: process.versions.node, cause })
}

const sqlite: typeof Sqlite = load()
export const { SqliteError } = sqlite
export default sqlite
