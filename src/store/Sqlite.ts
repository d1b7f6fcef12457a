/**
 * better-sqlite3 as the running Node takes it. Release 12 is built against one Node's own interface, and from Node 24.19 on
 * dies when a statement is collected; release 13 stands on Node-API, carries its binary with it, and needs Node 22. Every
 * import of `better-sqlite3` is led here when the command is bundled and when tests run.
 */
import { createRequire } from "node:module"
import type Sqlite from "better-sqlite3"

const require = createRequire(import.meta.url)
const [major = 0] = process.versions.node.split(".").map(Number)

const load = (): typeof Sqlite => {
  if (major < 22) return require("better-sqlite3")
  try {
    return require("better-sqlite3-napi")
  } catch {
    // Installed without optional packages.
    return require("better-sqlite3")
  }
}

const sqlite = load()
export const { SqliteError } = sqlite
export default sqlite
