/**
 * What is wrong with a value that a schema does not take: where, and what was expected, without repeating the value.
 */
import { type ParseResult, SchemaAST } from "effect"
import { describeSchema } from "../domain/values/SchemaWords.ts"

/** A path into a value; empty for the value itself. */
export type Path = ReadonlyArray<PropertyKey>

/**
 * Where the first problem lies, and what it is. Values are left out: they may be huge, nested without end, or private.
 */
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
      return { path, message: "is not known here" }
    case "Type":
    case "Forbidden":
      return { path, message: `expected ${describeSchema(issue.ast)}` }
  }
}

/** The parts of a path behind another. */
export const joined = (path: Path, more: ParseResult.Path): Path => [
  ...path,
  ...(isPath(more) ? more : [more])
]

/** Issues that stand alone or in a list, as a list. */
export const listOf = (
  issues: ParseResult.SingleOrNonEmpty<ParseResult.ParseIssue>
): ReadonlyArray<ParseResult.ParseIssue> => ("_tag" in issues ? [issues] : issues)

const isPath = (path: ParseResult.Path): path is Exclude<ParseResult.Path, PropertyKey> => Array.isArray(path)
