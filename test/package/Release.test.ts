/** The scripts of a release. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { dateChangelog } from "../../scripts/release/date-changelog.mjs"
import { bundledIn, installedIn, shippedOnly } from "../../scripts/release/make-sbom.mjs"
import { manifestSchema } from "../../src/domain/manifest/ManifestSchema.ts"

describe("dateChangelog", () => {
  const before = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n"
  const after = "# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-01-02\n\n### Added\n\n- A thing.\n"

  it("moves the unreleased changes under the version, once", () => {
    expect(dateChangelog(before, "1.2.0", "2026-01-02")).toBe(after)
    expect(dateChangelog(after, "1.2.0", "2026-01-03")).toBe(after)
  })

  it("fails if nothing is unreleased", () => {
    expect(() => dateChangelog("# Changelog\n", "1.2.0", "2026-01-02")).toThrow("## [Unreleased]")
  })
})

describe("the bill of materials", () => {
  it("lists what npm installs and what is bundled, but not the tools of development", () => {
    const component = (ref: string) => ({ "bom-ref": ref, scope: "optional" })
    const lock = {
      packages: {
        "": {},
        "node_modules/a": { version: "1.0.0" },
        "node_modules/a/node_modules/@x/b": { version: "2.0.0", optional: true },
        "node_modules/alias": { name: "c", version: "3.0.0", devOptional: true },
        "node_modules/tool": { version: "1.0.0", dev: true }
      }
    }
    const installed = installedIn(lock)
    expect(installed).toEqual(new Set(["a@1.0.0", "@x/b@2.0.0", "c@3.0.0"]))
    const line = "=".repeat(80)
    const bundled = bundledIn(`${line}\n@y/d 4.0.0   MIT\n\ntext\n\n${line}\ne 5.0.0   ISC\n`)
    expect(bundled).toEqual(new Set(["@y/d@4.0.0", "e@5.0.0"]))
    const all = {
      metadata: { component: { "bom-ref": "dubwright@0.0.0" } },
      components: ["a@1.0.0", "@y/d@4.0.0", "tool@1.0.0"].map(component),
      dependencies: [
        { ref: "dubwright@0.0.0", dependsOn: ["a@1.0.0", "tool@1.0.0"] },
        { ref: "tool@1.0.0", dependsOn: ["@y/d@4.0.0"] }
      ]
    }
    const bill = shippedOnly(all, installed, bundled)
    expect(bill.components).toEqual([component("a@1.0.0"), { "bom-ref": "@y/d@4.0.0", scope: "required" }])
    expect(bill.dependencies).toEqual([{ ref: "dubwright@0.0.0", dependsOn: ["a@1.0.0"] }])
  })
})

describe("the documentation of an installation", () => {
  it("lists each package with an install script or a program, with its hash", () => {
    const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"))
    const expected = Object.entries<Record<string, unknown>>(packages).flatMap(([path, about]) => {
      const name = path.replace(/^.*node_modules\//u, "")
      const isProgram =
        about["hasInstallScript"] === true || about["os"] !== undefined || /sqlite/u.test(name)
      if (about["dev"] === true || !isProgram || path === "") return []
      const script = about["hasInstallScript"] === true ? "yes" : "no"
      return `| \`${about["name"] ?? name}\` ${about["version"]} | ${script} | \`${about["integrity"]}\` |`
    })
    const listed = readFileSync("docs/security.md", "utf8")
      .split("\n")
      .filter((line) => line.includes("sha512-"))
    expect(listed).toEqual(expected)
  })
})

describe("the manifest's schema", () => {
  it("is listed for SchemaStore under the address that names it", () => {
    const { url } = JSON.parse(readFileSync(".github/schemastore.json", "utf8"))
    expect(url).toBe(manifestSchema.$id)
  })

  it("is at that address in the package", () => {
    const { exports, name } = JSON.parse(readFileSync("package.json", "utf8"))
    const file = exports["./manifest.schema.json"].slice(1)
    expect(manifestSchema.$id).toBe(`https://unpkg.com/${name}${file}`)
  })
})
