/**
 * Selects the better-sqlite3 release for the running Node. Release 12 is built for one Node version, and crashes from
 * Node 24.19 on when a statement is garbage-collected. Release 13 includes its binary, which crashes in a Node without
 * version 10 of Node-API: Node 20, and Node 22 before 22.14
 * (https://github.com/WiseLibs/better-sqlite3/issues/1514).
 *
 * The bundler and the test configuration redirect every import of `better-sqlite3` to this file.
 */
import { createRequire } from "node:module"
import type Sqlite from "better-sqlite3"
import { NoSqlite, problemIn } from "./NoSqlite.ts"

const require = createRequire(import.meta.url)

/** Suitable packages, the best first. The second is used if the first was not installed. */
const packages =
  Number(process.versions["napi"]) < 10 ? ["better-sqlite3"] : ["better-sqlite3-napi", "better-sqlite3"]

const load = (): typeof Sqlite => {
  const causes: Array<unknown> = []
  for (const name of packages) {
    try {
      const found: typeof Sqlite = require(name)
      // Loading the package does not load its binary yet.
      new found(":memory:").close()
      return found
    } catch (cause) {
      causes.push(cause)
    }
  }
  throw new NoSqlite({ node: process.versions.node, problem: problemIn(causes), cause: causes[0] })
}

const sqlite: typeof Sqlite = load()
export const { SqliteError } = sqlite
export default sqlite
