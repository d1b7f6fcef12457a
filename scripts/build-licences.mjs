// Collects the licences of the packages bundled into the program, from the packages themselves.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** Returns the packages of a bundle's inputs: name and version, licence, and licence text, sorted by name. */
export const bundledPackages = (root, inputs) => {
  const folders = new Set(
    inputs.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//u.exec(file)?.[1] ?? [])
  )
  return [...folders]
    .map((folder) => packageIn(join(root, folder)))
    .filter((one) => one !== undefined)
    .sort((a, b) => (a.title < b.title ? -1 : 1))
}

/** Returns the licences of all packages as one text. */
export const licencesText = (packages) =>
  [
    "This program includes code of the following packages, under their own licences.",
    ...packages.map(({ title, licence, text }) => `${"=".repeat(80)}\n${title}   ${licence}\n\n${text}`)
  ].join("\n\n") + "\n"

const packageIn = (folder) => {
  const file = join(folder, "package.json")
  if (!existsSync(file)) return undefined
  const { name, version, license, author } = JSON.parse(readFileSync(file, "utf8"))
  const licence = typeof license === "string" ? license : (license?.type ?? "no licence stated")
  const own = readdirSync(folder).find((entry) => /^licen[cs]e(?:[-.].*)?$/iu.test(entry))
  const by = typeof author === "string" ? author : author?.name
  return {
    title: `${name} ${version}`,
    licence,
    text:
      own === undefined
        ? `The package contains no licence text. ${by === undefined ? "" : `Author: ${by}.`}`.trim()
        : readFileSync(join(folder, own), "utf8").trim()
  }
}
