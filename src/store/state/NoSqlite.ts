/** SQLite does not load: it was installed by another Node, or not at all. */
import { Data } from "effect"

export class NoSqlite extends Data.TaggedError("NoSqlite")<{
  /** The Node that runs. */
  readonly node: string
  readonly cause: unknown
}> {
  override get message() {
    return `better-sqlite3 does not load in Node ${this.node}: run npm run setup in dubwright's folder with this Node, or go back to the one that installed it`
  }
}
