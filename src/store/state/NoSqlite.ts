/** Error: better-sqlite3 does not load, because it was installed by another Node version, or not at all. */
import { Data } from "effect"

export class NoSqlite extends Data.TaggedError("NoSqlite")<{
  /** The running Node's version. */
  readonly node: string
  readonly cause: unknown
}> {
  override get message() {
    return `better-sqlite3 does not load in Node ${this.node}; run npm run setup in dubwright's folder with this Node, or use the Node that installed it`
  }
}
