/** Finds the first problem in a schema parse error: its path and the expected value, without the found one. */
import { type ParseResult, SchemaAST } from "effect"
import { describeSchema } from "../domain/values/SchemaWords.ts"

/** A path into a value; empty for the value itself. */
export type Path = ReadonlyArray<PropertyKey>

/** Returns the path and message of the first problem. Omits values: they may be huge, deeply nested, or private. */
export const firstProblem = (
  issue: ParseResult.ParseIssue,
  path: Path = []
): { readonly path: Path; readonly message: string } => {
  switch (issue._tag) {
    case "Pointer":
      return firstProblem(issue.issue, joined(path, issue.path))
    case "Composite": {
      const [first = issue] = listOf(issue.issues)
      return first === issue || SchemaAST.isUnion(issue.ast)
        ? { path, message: `expected ${describeSchema(issue.ast)}` }
        : firstProblem(first, path)
    }
    case "Refinement":
    case "Transformation":
      return issue.kind === "From"
        ? firstProblem(issue.issue, path)
        : { path, message: `expected ${describeSchema(issue.ast)}` }
    case "Missing":
      return { path, message: "is missing" }
    case "Unexpected":
      return { path, message: "unknown key" }
    case "Type":
    case "Forbidden":
      return { path, message: `expected ${describeSchema(issue.ast)}` }
  }
}

/** Appends a path to another. */
const joined = (path: Path, more: ParseResult.Path): Path => [...path, ...(isPath(more) ? more : [more])]

/** Wraps a single issue in a list. */
const listOf = (
  issues: ParseResult.SingleOrNonEmpty<ParseResult.ParseIssue>
): ReadonlyArray<ParseResult.ParseIssue> => ("_tag" in issues ? [issues] : issues)

const isPath = (path: ParseResult.Path): path is Exclude<ParseResult.Path, PropertyKey> => Array.isArray(path)
