// Turns the changelog's section "Unreleased" into the section of the version in package.json, with today's date.
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath, pathToFileURL } from "node:url"

/** Returns the changelog with its unreleased changes under the version; unchanged if it has that version already. */
export const dateChangelog = (text, version, day) => {
  if (text.includes(`\n## [${version}]`)) return text
  const dated = text.replace(/^## \[Unreleased\]$/mu, `## [Unreleased]\n\n## [${version}] - ${day}`)
  if (dated === text)
    throw new Error("CHANGELOG.md has no section ## [Unreleased]; add it above the newest version")
  return dated
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const file = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url))
  const { version } = JSON.parse(readFileSync(file("package.json"), "utf8"))
  const changelog = readFileSync(file("CHANGELOG.md"), "utf8")
  writeFileSync(
    file("CHANGELOG.md"),
    dateChangelog(changelog, version, new Date().toISOString().slice(0, 10))
  )
}
