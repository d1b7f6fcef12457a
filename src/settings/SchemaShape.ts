/** Queries on a schema for error messages: the values that it accepts at a place, and the places that have a key. */
import { Array, SchemaAST } from "effect"
import { describeSchema } from "../domain/values/SchemaWords.ts"

/** A path into a value: keys and list indices, outermost first. */
export type SchemaPlace = ReadonlyArray<PropertyKey>

/** Describes the accepted values at a place. */
export const wantedAt = (ast: SchemaAST.AST, place: SchemaPlace): string => {
  const taken = schemasAt(ast, place).flatMap(membersOf)
  const choices = choicesAt(ast, place)
  const keys = keysAt(ast, place)
  const others = taken.filter(({ _tag }) => !["Literal", "TypeLiteral", "TupleType"].includes(_tag))
  return [
    ...(choices.length === 0 ? [] : [`${choices.length === 1 ? "" : "one of "}${choices.join(", ")}`]),
    ...(taken.some(SchemaAST.isTupleType) ? ["a list"] : []),
    ...(taken.some(SchemaAST.isTypeLiteral)
      ? [`keys with their values${keys.length === 0 || keys.length > 8 ? "" : ` (${keys.join(", ")})`}`]
      : []),
    ...Array.dedupe(others.map(describeSchema))
  ].join(", or ")
}

/** The literal choices at a place. */
export const choicesAt = (ast: SchemaAST.AST, place: SchemaPlace): ReadonlyArray<string> =>
  Array.dedupe(
    schemasAt(ast, place)
      .flatMap(membersOf)
      .flatMap((member) =>
        SchemaAST.isLiteral(member) && member.literal !== null ? [String(member.literal)] : []
      )
  )

/** The known keys at a place. */
export const keysAt = (ast: SchemaAST.AST, place: SchemaPlace): ReadonlyArray<string> =>
  schemasAt(ast, place)
    .flatMap(membersOf)
    .filter(SchemaAST.isTypeLiteral)
    .flatMap((shape) => shape.propertySignatures.map(({ name }) => String(name)))

/** Finds the nearest place below another that has a key, as a path such as `fit.maxSpeed`; searches 4 levels deep. */
export const placeOfKey = (ast: SchemaAST.AST, place: SchemaPlace, key: string): string | undefined => {
  const steps = (schema: SchemaAST.AST): ReadonlyArray<readonly [string, SchemaAST.AST]> =>
    membersOf(schema).flatMap((member): ReadonlyArray<readonly [string, SchemaAST.AST]> => {
      if (SchemaAST.isTupleType(member))
        return elementsOf(member).flatMap((element) =>
          steps(element).map(([name, inner]) => [`[].${name}`, inner] as const)
        )
      if (!SchemaAST.isTypeLiteral(member)) return []
      return [
        ...member.propertySignatures.map(({ name, type }) => [String(name), type] as const),
        ...member.indexSignatures.map(({ type }) => ["<name>", type] as const)
      ]
    })
  let level: ReadonlyArray<readonly [string, SchemaAST.AST]> = schemasAt(ast, place).flatMap(steps)
  for (let depth = 0; depth < 4; depth++) {
    const found = level.find(([path]) => path.split(/\.|\[\]\./u).at(-1) === key)
    if (found !== undefined) return found[0]
    level = level.flatMap(([path, inner]) =>
      steps(inner).map(
        ([name, next]) => [name.startsWith("[") ? path + name : `${path}.${name}`, next] as const
      )
    )
  }
  return undefined
}

/** The schemas at a place; several for a union. */
const schemasAt = (ast: SchemaAST.AST, [head, ...rest]: SchemaPlace): ReadonlyArray<SchemaAST.AST> => {
  if (head === undefined) return [ast]
  return membersOf(ast)
    .flatMap((member) => {
      if (SchemaAST.isTupleType(member)) return typeof head === "number" ? elementsOf(member) : []
      if (!SchemaAST.isTypeLiteral(member)) return []
      const own = member.propertySignatures.filter(({ name }) => name === head)
      return (own.length > 0 ? own : member.indexSignatures).map(({ type }) => type)
    })
    .flatMap((inner) => schemasAt(inner, rest))
}

const elementsOf = ({ elements, rest }: SchemaAST.TupleType): ReadonlyArray<SchemaAST.AST> =>
  Array.dedupe([...elements.map(({ type }) => type), ...rest.map(({ type }) => type)])

/** The members of a union, or the schema itself. Refinements of objects and lists are unwrapped. */
const membersOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  switch (ast._tag) {
    case "Union":
      return ast.types.flatMap(membersOf)
    case "Refinement":
    case "Transformation": {
      const inner = membersOf(ast.from)
      return inner.some((member) => SchemaAST.isTypeLiteral(member) || SchemaAST.isTupleType(member))
        ? inner
        : [ast]
    }
    default:
      return [ast]
  }
}
