/** Error: better-sqlite3 does not load, because it is not installed, not built, or built for another Node version. */
import { Data } from "effect"

/** Why no release of better-sqlite3 loads. */
export type SqliteProblem = "missing" | "unbuilt" | "foreign"

export class NoSqlite extends Data.TaggedError("NoSqlite")<{
  /** The running Node's version. */
  readonly node: string
  readonly problem: SqliteProblem
  readonly cause: unknown
}> {
  override get message() {
    return messages[this.problem](this.node)
  }
}

const messages: Readonly<Record<SqliteProblem, (node: string) => string>> = {
  missing: (node) =>
    `better-sqlite3 is not installed for Node ${node}; install dubwright again without --omit=optional (in a clone: npm run setup)`,
  unbuilt: (node) =>
    `better-sqlite3 has no binary for Node ${node}: its install script did not run; install dubwright again without --ignore-scripts, and with --allow-scripts=better-sqlite3 if npm blocks scripts (in a clone: npm run setup)`,
  foreign: (node) =>
    `better-sqlite3 does not load in Node ${node}; install dubwright again (in a clone: npm run setup), or use the Node that installed it`
}

/** Returns the problem in the errors of loading each release. An installed release says more than a missing one. */
export const problemIn = (causes: ReadonlyArray<unknown>): SqliteProblem => {
  const problems = causes.map(problemOf)
  return problems.find((problem) => problem !== "missing") ?? "missing"
}

const problemOf = (cause: unknown): SqliteProblem => {
  if (!(cause instanceof Error)) return "foreign"
  if ("code" in cause && cause.code === "MODULE_NOT_FOUND") return "missing"
  return cause.message.startsWith("Could not locate the bindings file") ? "unbuilt" : "foreign"
}
