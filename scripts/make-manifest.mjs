// Makes manifest.md, the manual of every key a manifest may have, from the schema that `dubwright schema` prints.
//
//   npm run build && node scripts/make-manifest.mjs
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { fileURLToPath, pathToFileURL } from "node:url"

const page = fileURLToPath(new URL("../docs/manifest.md", import.meta.url))
const command = fileURLToPath(new URL("../dist/dubwright.mjs", import.meta.url))

/** The page's text, from a JSON Schema. */
export const manifestPage = (schema) => {
  const root = resolved(schema, schema)
  const job = resolved(schema, root.properties.jobs).items
  const defaults = resolved(schema, root.properties.defaults)
  const sections = [
    { title: "The manifest", path: "", keys: keysOf(schema, root) },
    { title: "A job", path: "jobs", keys: keysOf(schema, job) }
  ]
  const seen = new Set(["jobs", "defaults"])
  for (const { keys } of [...sections].reverse())
    for (const key of keys)
      if (key.inner !== undefined && !seen.has(key.name)) {
        seen.add(key.name)
        sections.push({ title: key.heading, path: key.name, keys: keysOf(schema, key.inner) })
      }
  const extra = Object.keys(job.properties).filter((name) => !(name in defaults.properties))
  return [
    "# The manifest, key by key",
    "",
    "`scripts/make-manifest.mjs` makes this page from the schema that `dubwright schema` prints. An unknown key is refused,",
    "and the error names the nearest one.",
    "",
    "For completion and checks in an editor, print the schema into a file and name it in the manifest's first line:",
    "",
    "```sh",
    "dubwright schema > dubwright.schema.json",
    "```",
    "",
    "```yaml",
    "# yaml-language-server: $schema=dubwright.schema.json",
    "```",
    "",
    "A manifest is YAML or JSON. Paths are relative to it. Times are seconds.",
    "",
    ...sections.flatMap(({ title, path, keys }) => [
      `## ${title}`,
      "",
      ...(path === "jobs"
        ? [
            `\`defaults\` takes the same keys except ${list(extra.map(code))}. It applies to jobs that do not set a key.`,
            ""
          ]
        : []),
      "| key | takes | meaning |",
      "|---|---|---|",
      ...keys.map(
        ({ name, needed, takes, meaning }) =>
          `| ${code(name)}${needed ? " (needed)" : ""} | ${cell(takes)} | ${cell(meaning)} |`
      ),
      ""
    ])
  ].join("\n")
}

/** A schema with its reference followed. */
const resolved = (schema, node) => {
  const name = /^#\/\$defs\/(.+)$/u.exec(node.$ref ?? "")?.[1]
  const { $ref: _ref, ...own } = node
  const base = name === undefined ? own : { ...resolved(schema, schema.$defs[name]), ...own }
  return (base.allOf ?? []).reduce((sum, part) => ({ ...resolved(schema, part), ...sum }), base)
}

const headings = {
  providers: "A provider's limits: `providers.<id>`",
  speakers: "A speaker's voice: `speakers.<name>`",
  lexicon: "An entry of `lexicon`"
}

const keysOf = (schema, object) =>
  Object.entries(object.properties).map(([name, raw]) => {
    const node = resolved(schema, raw)
    const inner = innerOf(schema, node)
    return {
      name,
      needed: object.required.includes(name),
      takes: inner === undefined || name === "defaults" ? takesOf(schema, node) : link(name, node),
      meaning: raw.description ?? node.description ?? "",
      inner,
      heading: headings[name] ?? `\`${name}\``
    }
  })

/** The object whose keys have a table of their own. */
const innerOf = (schema, node) => {
  const held = node.type === "array" ? resolved(schema, node.items) : (node.patternProperties?.[""] ?? node)
  const object = resolved(schema, held)
  return object.type === "object" && Object.keys(object.properties ?? {}).length > 0 ? object : undefined
}

const link = (name, node) => {
  const title = (name === "jobs" ? "A job" : (headings[name] ?? name)).replaceAll("`", "")
  const anchor = title
    .toLowerCase()
    .replaceAll(/[^\w -]/gu, "")
    .replaceAll(" ", "-")
  const words = node.type === "array" ? "a list" : node.patternProperties === undefined ? "keys" : "by name"
  return `[${words}](#${anchor})`
}

const takesOf = (schema, raw) => {
  const node = resolved(schema, raw)
  const choices = node.anyOf?.flatMap((one) => one.enum ?? [])
  if (node.anyOf?.every((one) => one.enum !== undefined))
    return [...new Set(choices.map((value) => code(String(value))))].join(", ")
  if (node.anyOf !== undefined) return node.anyOf.map((one) => takesOf(schema, one)).join(", or ")
  if (node.enum !== undefined) return node.enum.map((value) => code(String(value))).join(", ")
  switch (node.type) {
    case "array":
      return `a list of ${takesOf(schema, node.items)}`
    case "boolean":
      return "`true` or `false`"
    case "number":
    case "integer":
      return numbers(node)
    case "object":
      return Object.keys(node.properties ?? {}).length === 0 || node.properties.input === undefined
        ? Object.keys(node.properties ?? {}).some((name) => name === "outputs")
          ? "a job's keys"
          : list(Object.keys(node.properties ?? {}).map(code))
        : "a job"
    default:
      return "text"
  }
}

const numbers = ({ type, minimum, maximum, exclusiveMinimum }) => {
  const what = type === "integer" ? "a whole number" : "a number"
  if (minimum !== undefined && maximum !== undefined) return `${what} from ${minimum} to ${maximum}`
  if (exclusiveMinimum !== undefined) return `${what} above ${exclusiveMinimum}`
  return minimum === undefined ? what : `${what} from ${minimum} up`
}

const code = (text) => `\`${text}\``
const list = (words) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`
const cell = (text) => text.replaceAll("|", String.raw`\|`)

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { stdout, status } = spawnSync(process.execPath, [command, "schema"], { encoding: "utf8" })
  if (status !== 0) process.exit(1)
  writeFileSync(page, manifestPage(JSON.parse(stdout)))
}
