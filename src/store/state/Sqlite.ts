/**
 * better-sqlite3 as the running Node takes it. Release 12 is built against one Node's own interface, and from Node
 * 24.19 on dies when a statement is collected; release 13 stands on Node-API, carries its binary with it, and needs
 * Node 22. Every import of `better-sqlite3` is led here when the command is bundled and when tests run.
 */
import { createRequire } from "node:module"
import type Sqlite from "better-sqlite3"
import { NoSqlite } from "./NoSqlite.ts"

const require = createRequire(import.meta.url)
const [major = 0] = process.versions.node.split(".").map(Number)

/**
 * The packages that will do, the best first; the second of two stands in where optional packages were not installed.
 */
const packages = major < 22 ? ["better-sqlite3"] : ["better-sqlite3-napi", "better-sqlite3"]

const load = (): typeof Sqlite => {
  let cause: unknown
  for (const name of packages) {
    try {
      const found: typeof Sqlite = require(name)
      // Its binary is loaded only when it is needed.
      new found(":memory:").close()
      return found
    } catch (fault) {
      cause ??= fault
    }
  }
  throw new NoSqlite({ node: process.versions.node, cause })
}

const sqlite = load()
export const { SqliteError } = sqlite
export default sqlite
