/** Parses the service's settings file (YAML or JSON). Reports every problem with its path, value and expected value. */
import { Array, Either, Option, type ParseResult, Schema, SchemaAST } from "effect"
import { describeSchema } from "../../domain/values/SchemaWords.ts"
import { nearestName } from "../../domain/values/DidYouMean.ts"
import { readYaml } from "../../settings/Yaml.ts"
import { joined, listOf, type Path } from "../../settings/ParseProblems.ts"
import { ServiceConfig } from "./ServiceConfig.ts"

/** The settings are invalid; one line per problem. */
export class ConfigRejected extends Schema.TaggedError<ConfigRejected>()("ConfigRejected", {
  problems: Schema.NonEmptyArray(Schema.String)
}) {
  override get message(): string {
    return this.problems.join("\n")
  }
}

/** Parses a settings file's text. `file` names it in problems. An empty file gives the defaults. */
export const parseConfig = (text: string, file: string): Either.Either<ServiceConfig, ConfigRejected> => {
  const read = readYaml(text)
  if (Either.isLeft(read))
    return Either.left(
      new ConfigRejected({
        problems: Array.map(read.left, ({ line, message }) => `${file}:${line}: ${message}`)
      })
    )
  return Either.mapLeft(
    decodeConfig(read.right.value ?? {}),
    ({ problems }) =>
      new ConfigRejected({ problems: Array.map(problems, (problem) => `${file}: ${problem}`) })
  )
}

/** Validates settings that are given as a value. */
export const decodeConfig = (value: unknown): Either.Either<ServiceConfig, ConfigRejected> =>
  Either.mapLeft(decode(value), (error) => {
    const [first = "the settings do not match the schema", ...others] = [
      ...new Set(problemsOf(error.issue, []))
    ]
    return new ConfigRejected({ problems: [first, ...others] })
  })

const decode = Schema.decodeUnknownEither(ServiceConfig, { errors: "all", onExcessProperty: "error" })

const problemsOf = (issue: ParseResult.ParseIssue, path: Path): ReadonlyArray<string> => {
  switch (issue._tag) {
    case "Pointer":
      return problemsOf(issue.issue, joined(path, issue.path))
    case "Composite": {
      const issues = listOf(issue.issues)
      if (SchemaAST.isUnion(issue.ast)) return [unionProblem(issue, issues, path)].flat()
      const known = keysOf(issue.ast)
      return issues.flatMap((each) =>
        each._tag === "Pointer" && each.issue._tag === "Unexpected"
          ? [unexpected(joined(path, each.path), known)]
          : problemsOf(each, path)
      )
    }
    case "Refinement":
    case "Transformation":
      return issue.kind === "From" ? problemsOf(issue.issue, path) : [problem(path, issue.actual, issue.ast)]
    case "Missing":
      return [`${pathOf(path)}: is missing`]
    case "Unexpected":
      return [unexpected(path, [])]
    case "Type":
    case "Forbidden":
      return [problem(path, issue.actual, issue.ast)]
  }
}

/** Reports the problems of the union member most likely meant: the one whose validation got furthest. */
const unionProblem = (
  issue: ParseResult.Composite,
  issues: ReadonlyArray<ParseResult.ParseIssue>,
  path: Path
): ReadonlyArray<string> => {
  const [only] = issues
  if (issues.length === 1 && only !== undefined) return problemsOf(only, path)
  const deep = issues.find((each) => each._tag === "Composite")
  return deep === undefined ? [problem(path, issue.actual, issue.ast)] : problemsOf(deep, path)
}

const problem = (path: Path, actual: unknown, ast: SchemaAST.AST): string => {
  const said = Option.getOrUndefined(SchemaAST.getDescriptionAnnotation(ast))
  const expected = describeSchema(ast)
  return `${pathOf(path)}: ${shown(actual)}: expected ${expected}${said === undefined ? "" : ` (${said})`}`
}

const unexpected = (path: Path, known: ReadonlyArray<string>): string => {
  const key = String(path.at(-1) ?? "")
  const where = pathOf(path)
  if (known.length === 0) return `${where}: unknown key`
  const near = nearestName(key, known)
  return `${where}: unknown key${near === undefined ? "." : `; did you mean "${near}"?`} Known keys: ${known.join(", ")}`
}

const keysOf = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  switch (ast._tag) {
    case "TypeLiteral":
      return ast.propertySignatures.map((property) => String(property.name))
    case "Refinement":
    case "Transformation":
      return keysOf(ast.from)
    default:
      return []
  }
}

const pathOf = (path: Path): string =>
  path.length === 0
    ? "settings"
    : path.reduce<string>(
        (joined, key) =>
          typeof key === "number"
            ? `${joined}[${key}]`
            : joined === ""
              ? String(key)
              : `${joined}.${String(key)}`,
        ""
      )

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
