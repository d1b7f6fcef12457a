/** Imports run one way through the rooms: from a tier only to tiers on its right, never to a neighbour, never leftwards. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { expect, test } from "vitest"

const tiers = [
  ["app"],
  ["fleet"],
  ["pipeline", "service"],
  ["store", "ffmpeg", "gateway", "engines"],
  ["script", "audio", "contract", "exports", "pages"],
  ["domain"]
]
const tierOf = (room: string): number => tiers.findIndex((tier) => tier.includes(room))

const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .map((file) => join("src", file))
  .filter((file) => file.endsWith(".ts") && statSync(file).isFile())

/** Every import of a file, static or dynamic, as written. */
const importsOf = (file: string): ReadonlyArray<string> =>
  [...readFileSync(file, "utf8").matchAll(/(?:\bfrom\s+|\bimport\(\s*|^import\s+)"([^"]+)"/gmu)].flatMap(
    (match) => match[1] ?? []
  )

const roomOf = (file: string): string => relative("src", file).split(sep)[0] ?? ""

test("every room is known", () => {
  const rooms = readdirSync("src", { withFileTypes: true }).map((entry) => entry.name)
  expect(rooms.filter((room) => tierOf(room) < 0)).toEqual([])
})

test("imports run one way", () => {
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter((name) => name.startsWith("."))
      .map((name) => join(dirname(file), name))
      .filter((target) => {
        const from = roomOf(file)
        const to = roomOf(target)
        return from !== to && tierOf(from) >= tierOf(to)
      })
      .map((target) => `${file} → ${target}`)
  )
  expect(wrong).toEqual([])
})

test("relative imports name files that are there", () => {
  const missing = files.flatMap((file) =>
    importsOf(file)
      .filter((name) => name.startsWith("."))
      .filter((name) => !existsSync(join(dirname(file), name)))
      .map((name) => `${file} → ${name}`)
  )
  expect(missing).toEqual([])
})

test("pure rooms hold no effects and touch no disk, network or process", () => {
  const forbidden =
    /^(?:node:(?:fs|http|https|net|child_process|worker_threads|os)(?:\/.*)?|fluent-ffmpeg|better-sqlite3|p-queue|@effect\/(?:sql|platform-node|cli).*)$/u
  const wrong = files
    .filter((file) => ["domain", "script", "audio", "exports", "pages"].includes(roomOf(file)))
    .flatMap((file) =>
      importsOf(file)
        .filter((name) => forbidden.test(name))
        .map((name) => `${file} → ${name}`)
    )
  expect(wrong).toEqual([])
})

test("fluent-ffmpeg is known to one room only, and the environment to the app only", () => {
  const wrong = files.filter((file) => {
    const text = readFileSync(file, "utf8")
    return (
      (roomOf(file) !== "ffmpeg" && text.includes('"fluent-ffmpeg"')) ||
      (roomOf(file) !== "app" && /\bprocess\.env\b/u.test(text))
    )
  })
  expect(wrong).toEqual([])
})

test("no barrels and no drawers", () => {
  expect(files.filter((file) => /\/(?:index|utils|helpers|misc|common)\.ts$/u.test(file))).toEqual([])
})
