/** Renders the API documentation page from the OpenAPI document: one HTML page that loads no other files. */
import type { OpenApi } from "@effect/platform"
import { Predicate } from "effect"

/** Renders the page. */
export const docsPage = (document: OpenApi.OpenAPISpec): string => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
  )
  const shown = Object.entries(document.components.schemas).filter(
    ([, schema]) => propertiesOf(schema).length > 0
  )
  const simple = new Map(
    Object.entries(document.components.schemas).filter(([, schema]) => propertiesOf(schema).length === 0)
  )
  const types = typeNamer(simple)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(document.info.title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escaped(document.info.title)}</h1>
${paragraphs(document.info.description)}
<p>OpenAPI document: <a href="/openapi.json">/openapi.json</a></p>
<h2>Endpoints</h2>
<ul>${operations.map(({ method, path, operation }) => `<li><a href="#${anchor(operation.operationId)}"><code>${method} ${escaped(path)}</code></a> ${escaped(operation.summary ?? "")}</li>`).join("\n")}</ul>
${operations.map((each) => operationSection(each, types)).join("\n")}
<h2>Schemas</h2>
${shown.map(([name, schema]) => schemaSection(name, schema, types)).join("\n")}
</body>
</html>
`
}

interface Operation {
  readonly method: string
  readonly path: string
  readonly operation: OpenApi.OpenAPISpecOperation
}

type TypeName = (schema: unknown) => string

const operationSection = ({ method, path, operation }: Operation, types: TypeName): string => {
  const body = operation.requestBody?.content["application/json"]?.schema
  return `<section id="${anchor(operation.operationId)}">
<h3><code>${method} ${escaped(path)}</code></h3>
<p>${escaped(operation.summary ?? "")}.${operation.security.length === 0 ? " Needs no key." : ""}</p>
${paragraphs(operation.description)}
${
  operation.parameters.length === 0
    ? ""
    : tableOf(
        ["Parameter", "In", "Type", "Meaning"],
        operation.parameters.map((parameter) => [
          `<code>${escaped(parameter.name)}</code>${parameter.required ? "" : " (optional)"}`,
          escaped(parameter.in),
          types(parameter.schema),
          escaped(parameter.description ?? "")
        ])
      )
}
${body === undefined ? "" : `<p>Body: ${types(body)}</p>`}
${tableOf(
  ["Status", "Meaning", "Body"],
  Object.entries(operation.responses).map(([status, response]) => [
    escaped(status),
    escaped(response.description),
    types(response.content?.["application/json"]?.schema)
  ])
)}
</section>`
}

const schemaSection = (name: string, schema: unknown, types: TypeName): string => {
  const required = arrayAt(schema, "required")
  return `<section id="${anchor(name)}">
<h3>${escaped(name)}</h3>
${paragraphs(textAt(schema, "description"))}
${tableOf(
  ["Field", "Type", "Meaning"],
  propertiesOf(schema).map(([field, property]) => [
    `<code>${escaped(field)}</code>${required.includes(field) ? "" : " (optional)"}`,
    types(property),
    escaped(textAt(property, "description"))
  ])
)}
</section>`
}

/** Returns a function that names a schema's type: a link to a schema, a list of values, or a type with its range. */
const typeNamer = (simple: ReadonlyMap<string, unknown>): TypeName => {
  const name: TypeName = (schema) => {
    if (!Predicate.isRecord(schema)) return ""
    const reference = textAt(schema, "$ref").split("/").at(-1) ?? ""
    if (reference !== "")
      return simple.has(reference)
        ? name(simple.get(reference))
        : `<a href="#${anchor(reference)}">${escaped(reference)}</a>`
    const either = arrayAt(schema, "anyOf")
    if (either.length > 0) return either.map(name).join(" or ")
    const values = arrayAt(schema, "enum")
    if (values.length > 0) return values.map((value) => `<code>${escaped(String(value))}</code>`).join(" | ")
    const type = textAt(schema, "type")
    if (type === "array") return `list of ${name(schema["items"])}`
    if (type === "object")
      return `{ ${propertiesOf(schema)
        .map(([field, property]) => `<code>${escaped(field)}</code>: ${name(property)}`)
        .join(", ")} }`
    const least = schema["minimum"] ?? schema["exclusiveMinimum"]
    const most = schema["maximum"]
    const range = least !== undefined && most !== undefined ? ` ${String(least)} to ${String(most)}` : ""
    const longest =
      schema["maxLength"] === undefined ? "" : `, at most ${String(schema["maxLength"])} characters`
    const format = textAt(schema, "format")
    return escaped(`${format === "" ? type : format}${range}${longest}`)
  }
  return name
}

const propertiesOf = (schema: unknown): ReadonlyArray<readonly [string, unknown]> => {
  const properties = Predicate.isRecord(schema) ? schema["properties"] : undefined
  return Predicate.isRecord(properties) ? Object.entries(properties) : []
}

const textAt = (value: unknown, key: string): string => {
  const found = Predicate.isRecord(value) ? value[key] : undefined
  return typeof found === "string" ? found : ""
}

const arrayAt = (value: unknown, key: string): ReadonlyArray<unknown> => {
  const found = Predicate.isRecord(value) ? value[key] : undefined
  return Array.isArray(found) ? found : []
}

const tableOf = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  `<table><thead><tr>${head.map((cell) => `<th>${cell}</th>`).join("")}</tr></thead><tbody>
${rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("\n")}
</tbody></table>`

const paragraphs = (text: string | undefined): string =>
  (text ?? "")
    .split("\n\n")
    .filter((each) => each !== "")
    .map((each) => `<p>${escaped(each)}</p>`)
    .join("\n")

const anchor = (name: string): string => name.replace(/[^A-Za-z0-9]+/gu, "-").toLowerCase()

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const style = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
h2{margin-top:3rem}h3{margin-top:2rem}
code{font:0.9em ui-monospace,monospace}
table{border-collapse:collapse;width:100%;margin:0.5rem 0}
th,td{border:1px solid #8884;padding:0.3rem 0.6rem;text-align:left;vertical-align:top}
ul{list-style:none;padding:0}
@media(max-width:40rem){td{overflow-wrap:anywhere}}`
