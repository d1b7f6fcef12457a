// Prints the package's bill of materials (CycloneDX 1.5, JSON): the packages that npm installs with it, and those
// bundled into dist/. npm lists the latter as development dependencies. Run it after the build.
//
//     npm run -s sbom > sbom.cdx.json
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Returns a bill with only the components that npm installs or that are bundled: `name@version` each. */
export const shippedOnly = (all, installed, bundled) => {
  const components = all.components
    .filter((one) => installed.has(one["bom-ref"]) || bundled.has(one["bom-ref"]))
    // npm marks development dependencies as optional, but bundled packages are always present.
    .map((one) => ({ ...one, scope: bundled.has(one["bom-ref"]) ? "required" : one.scope }))
  const refs = new Set(components.map((one) => one["bom-ref"]))
  const { name, version } = JSON.parse(readFileSync(`${root}package.json`, "utf8"))
  const subject = { ...all.metadata.component, name, version, type: "application" }
  refs.add(subject["bom-ref"])
  return {
    ...all,
    metadata: { ...all.metadata, component: subject },
    components,
    dependencies: all.dependencies
      .filter(({ ref }) => refs.has(ref))
      .map((one) => ({ ...one, dependsOn: one.dependsOn.filter((ref) => refs.has(ref)) }))
  }
}

/** Returns the bundled packages, `name@version` each, from the build's list of licences. */
export const bundledIn = (licences) =>
  new Set(
    [...licences.matchAll(/^={80}\n(\S+) (\S+) {3}/gmu)].map(([, name, version]) => `${name}@${version}`)
  )

/** Returns the packages that npm installs with this one, on any platform, from the lock file: `name@version` each. */
export const installedIn = ({ packages }) =>
  new Set(
    Object.entries(packages)
      .filter(([path, { dev, peer }]) => path !== "" && dev !== true && peer !== true)
      .map(([path, { name, version }]) => `${name ?? path.replace(/^.*node_modules\//u, "")}@${version}`)
  )

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const read = (name) => readFileSync(`${root}${name}`, "utf8")
  const all = execFileSync(
    "npm",
    ["sbom", "--sbom-format=cyclonedx", "--package-lock-only", "--loglevel=error"],
    { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 }
  )
  const installed = installedIn(JSON.parse(read("package-lock.json")))
  const bill = shippedOnly(JSON.parse(all), installed, bundledIn(read("dist/LICENSES.txt")))
  process.stdout.write(`${JSON.stringify(bill, null, 2)}\n`)
}
