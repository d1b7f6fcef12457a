// Generates docs/manifest.md, the reference of every manifest key, from the output of `dubwright schema`.
//
//     npm run build && node scripts/make-manifest.mjs
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { fileURLToPath, pathToFileURL } from "node:url"

const page = fileURLToPath(new URL("../docs/manifest.md", import.meta.url))
const command = fileURLToPath(new URL("../dist/dubwright.mjs", import.meta.url))

/** Returns the page's text for a JSON Schema. */
export const manifestPage = (schema) => {
  const root = resolved(schema, schema)
  const job = resolved(schema, root.properties.jobs).items
  const defaults = resolved(schema, root.properties.defaults)
  const sections = [
    { title: "The manifest", path: "", keys: keysOf(schema, root) },
    { title: "A job", path: "jobs", keys: keysOf(schema, job) }
  ]
  const seen = new Set(["jobs", "defaults"])
  // A section found here is searched, too: keys may hold keys that hold keys.
  const unsearched = [...sections].reverse()
  for (const { keys } of unsearched)
    for (const key of keys)
      if (key.inner !== undefined && !seen.has(key.name)) {
        seen.add(key.name)
        const section = { title: key.heading, path: key.name, keys: keysOf(schema, key.inner) }
        sections.push(section)
        unsearched.push(section)
      }
  const extra = Object.keys(job.properties).filter((name) => !(name in defaults.properties))
  return [
    "# The manifest, key by key",
    "",
    "This page lists every key of a manifest, its values, and its default. An unknown key is an error that suggests the",
    "nearest known key. `scripts/make-manifest.mjs` generates this page from the output of `dubwright schema`.",
    "",
    "For completion and validation in an editor, name the schema in the manifest's first line:",
    "",
    "```yaml",
    `# yaml-language-server: $schema=${schema.$id}`,
    "```",
    "",
    "To work offline, write the schema to a file with `dubwright schema > dubwright.schema.json`, and name that file.",
    "",
    "A manifest is YAML or JSON. Paths are relative to its folder. Times are in seconds.",
    "",
    ...sections.flatMap(({ title, path, keys }) => [
      `## ${title}`,
      "",
      ...(path === "jobs"
        ? [
            `\`defaults\` takes the same keys except ${list(extra.map(code))}.`,
            "A job that sets a key overrides its default.",
            ""
          ]
        : []),
      "| key | value | meaning |",
      "|---|---|---|",
      ...keys.map(
        ({ name, needed, takes, meaning }) =>
          `| ${code(name)}${needed ? " (required)" : ""} | ${cell(takes)} | ${cell(meaning)} |`
      ),
      ""
    ])
  ].join("\n")
}

/** Returns a schema node with its reference resolved and its allOf merged. */
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

/** Returns the object whose keys get a table of their own. */
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
      if (node.properties !== undefined && Object.keys(node.properties).length === 0)
        return "a text for each name"
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
