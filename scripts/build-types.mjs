// Writes the package's types to dist/types. Those of the entry `dubwright` are one file that imports nothing: types
// from Effect are written out, because users of promises do not install Effect. `npm run types` checks the sources.
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import ts from "typescript"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Types of Effect that users of promises pass on, but do not read. */
const opaque = new Set(["Effect"])

/** Fields of every error: those of Error, and Effect's own. */
const inherited = new Set(["name", "message", "stack", "cause", "toString", "toJSON", "pipe"])

const typesProgram = () => {
  const settings = ts.readConfigFile(`${root}tsconfig.types.json`, ts.sys.readFile)
  const { options, fileNames } = ts.parseJsonConfigFileContent(settings.config, ts.sys, root)
  return ts.createProgram(fileNames, options)
}

/** Returns the declarations of everything that a module exports. Fails on a type that it cannot write out. */
const flatTypes = (program, file) => {
  const checker = program.getTypeChecker()
  const resolved = (symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)))
  const names = new Map(exported.map((symbol) => [resolved(symbol), symbol.name]))

  const comment = (symbol, indent) => {
    const text = ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim()
    if (text === "") return ""
    const lines = text.split("\n").map((line) => `${indent} * ${line}`.trimEnd())
    return `${indent}/**\n${lines.join("\n")}\n${indent} */\n`
  }

  const fromModule = (symbol, part) =>
    symbol?.declarations?.some((one) => one.getSourceFile().fileName.includes(part)) === true

  const typeOf = (property) => {
    const at = property.valueDeclaration ?? property.declarations?.[0] ?? program.getSourceFile(file)
    return checker.getTypeOfSymbolAtLocation(property, at)
  }

  const isBrand = (type) =>
    checker.getPropertiesOfType(type).every(({ name }) => name.startsWith("__@")) &&
    (type.flags & ts.TypeFlags.Object) !== 0

  const print = (type, indent, top = false) => {
    const name = names.get(type.aliasSymbol) ?? names.get(type.symbol)
    if (!top && name !== undefined && (type.aliasTypeArguments ?? []).length === 0) return name
    depth += 1
    try {
      return printed(type, indent)
    } finally {
      depth -= 1
    }
  }

  let depth = 0
  const printed = (type, indent) => {
    if (depth > 30) throw new Error(`the type ${checker.typeToString(type)} is nested too deeply`)
    const { flags } = type
    if (flags & (ts.TypeFlags.StringLiteral | ts.TypeFlags.NumberLiteral)) return JSON.stringify(type.value)
    if (flags & (ts.TypeFlags.Union | ts.TypeFlags.Intersection)) return printParts(type, indent)
    if (!(flags & (ts.TypeFlags.Object | ts.TypeFlags.NonPrimitive))) return checker.typeToString(type)
    return printObject(type, indent)
  }

  const printParts = (type, indent) => {
    if (type.flags & ts.TypeFlags.Boolean) return "boolean"
    const union = (type.flags & ts.TypeFlags.Union) !== 0
    // To callers, a branded number is a number.
    const parts = union
      ? type.types
      : type.types.some((part) => !(part.flags & ts.TypeFlags.Object))
        ? type.types.filter((part) => !isBrand(part))
        : type.types
    const texts = parts.map((part) => {
      const text = print(part, indent)
      return text.includes("=>") && parts.length > 1 ? `(${text})` : text
    })
    const both = texts.includes("true") && texts.includes("false")
    const merged = both ? [...texts.filter((text) => text !== "true" && text !== "false"), "boolean"] : texts
    return [...new Set(merged)].join(union ? " | " : " & ")
  }

  const printObject = (type, indent) => {
    const { symbol } = type
    const elements =
      checker.isArrayType(type) || checker.isTupleType(type) ? checker.getTypeArguments(type) : undefined
    if (checker.isTupleType(type)) {
      const texts = elements.map((one, at) => {
        const kind = type.target.elementFlags[at]
        const text = print(one, indent)
        return kind & ts.ElementFlags.Rest
          ? `...Array<${text}>`
          : kind & ts.ElementFlags.Optional
            ? `(${text})?`
            : text
      })
      return `${type.target.readonly ? "readonly " : ""}[${texts.join(", ")}]`
    }
    if (elements !== undefined) return `${symbol.name}<${print(elements[0], indent)}>`
    const [call] = checker.getSignaturesOfType(type, ts.SignatureKind.Call)
    if (call !== undefined) return printFunction(call, indent)
    if (symbol !== undefined && symbol.name !== "__type" && symbol.name !== "__object") {
      if (fromModule(symbol, "/effect/")) {
        if (opaque.has(symbol.name)) return "unknown"
        throw new Error(`the type ${checker.typeToString(type)} of Effect is exported from ${file}`)
      }
      if (fromModule(symbol, "/node_modules/")) {
        const all = checker.getTypeArguments(type).map((one) => print(one, indent))
        // Parameters of typed arrays are those of newer versions of TypeScript.
        return all.length === 0 || symbol.name.endsWith("Array")
          ? symbol.name
          : `${symbol.name}<${all.join(", ")}>`
      }
    }
    return printMembers(type, indent)
  }

  const printFunction = (signature, indent) => {
    const parameters = signature.getParameters().map((parameter) => {
      const declaration = parameter.valueDeclaration
      const optional =
        declaration !== undefined && ts.isParameter(declaration) && checker.isOptionalParameter(declaration)
      const name =
        /^\w+$/u.test(parameter.name) && !parameter.name.startsWith("__") ? parameter.name : "options"
      return `${name}${optional ? "?" : ""}: ${print(typeOf(parameter), indent)}`
    })
    return `(${parameters.join(", ")}) => ${print(signature.getReturnType(), indent)}`
  }

  const printMembers = (type, indent, leave = new Set()) => {
    const inner = `${indent}  `
    const properties = checker
      .getPropertiesOfType(type)
      .filter(({ name }) => !name.startsWith("__@") && !leave.has(name))
      .map((property) => {
        const optional = (property.flags & ts.SymbolFlags.Optional) !== 0
        const writable =
          (ts.getCheckFlags?.(property) ?? 0) & 8
            ? false
            : !property.declarations?.some(
                (one) => ts.getCombinedModifierFlags(one) & ts.ModifierFlags.Readonly
              )
        const key = /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(property.name)
          ? property.name
          : JSON.stringify(property.name)
        const text = print(typeOf(property), inner)
        return `${comment(property, inner)}${inner}${writable ? "" : "readonly "}${key}${optional ? "?" : ""}: ${text}\n`
      })
    const indexed = checker
      .getIndexInfosOfType(type)
      .map(
        ({ keyType, type: value, isReadonly }) =>
          `${inner}${isReadonly ? "readonly " : ""}[key: ${print(keyType, inner)}]: ${print(value, inner)}\n`
      )
    const members = [...properties, ...indexed]
    return members.length === 0 ? "{}" : `{\n${members.join("")}${indent}}`
  }

  const printClass = (symbol, name) => {
    const type = checker.getDeclaredTypeOfSymbol(symbol)
    const [made] = checker.getSignaturesOfType(typeOf(symbol), ts.SignatureKind.Construct)
    const error = checker.getPropertyOfType(type, "stack") !== undefined
    const members = printMembers(type, "", error ? inherited : new Set())
    const parameters = made
      .getParameters()
      .slice(0, 1)
      .map((one) => {
        const given = typeOf(one)
        const optional = checker.isOptionalParameter(one.valueDeclaration) ? "?" : ""
        return `props${optional}: ${print(given, "  ", true)}`
      })
    const body = members === "{}" ? "{\n}" : members
    return `export declare class ${name}${error ? " extends Error" : ""} ${body.replace(/\}$/u, `  constructor(${parameters.join(", ")})\n}`)}`
  }

  const declarations = exported.map((entry) => {
    const symbol = resolved(entry)
    const typeOnly = entry.declarations?.some(ts.isTypeOnlyExportDeclaration) === true
    const doc = comment(symbol, "")
    if (!typeOnly && symbol.flags & ts.SymbolFlags.Class) return `${doc}${printClass(symbol, entry.name)}`
    if (!typeOnly && symbol.flags & ts.SymbolFlags.Value)
      return `${doc}export declare const ${entry.name}: ${print(typeOf(symbol), "", true)}`
    const type = checker.getDeclaredTypeOfSymbol(symbol)
    return `${doc}export type ${entry.name} = ${print(type, "", true)}`
  })
  return `/** The library, as promises: \`import { dub } from "dubwright"\`. See docs/library.md. */\n${declarations.join("\n\n")}\n`
}

const program = typesProgram()
const faults = program.emit().diagnostics
if (faults.length > 0) {
  const host = {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => root,
    getNewLine: () => "\n"
  }
  process.stderr.write(ts.formatDiagnostics(faults, host))
  process.exit(1)
}
writeFileSync(`${root}dist/types/index.d.ts`, flatTypes(program, `${root}src/index.ts`))
