/** The command with better-sqlite3 missing, not built, or installed by another Node. */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { bundled } from "../ffmpeg/binaries.ts"
import { plainFolder } from "../ffmpeg/media.ts"

const node = process.versions.node

it.scoped.each([
  [
    "it is missing",
    undefined,
    `better-sqlite3 is not installed for Node ${node}; install dubwright again without --omit=optional (in a clone: npm run setup)`
  ],
  [
    "its install script did not run",
    'throw new Error("Could not locate the bindings file. Tried:")',
    `better-sqlite3 has no binary for Node ${node}: its install script did not run; install dubwright again without --ignore-scripts, and with --allow-scripts=better-sqlite3 if npm blocks scripts (in a clone: npm run setup)`
  ],
  [
    "its binary is for another Node",
    'throw new Error("NODE_MODULE_VERSION 1")',
    `better-sqlite3 does not load in Node ${node}; install dubwright again (in a clone: npm run setup), or use the Node that installed it`
  ]
])("says what to do if %s", ([, program, message]) =>
  Effect.gen(function* () {
    const folder = yield* plainFolder
    mkdirSync(join(folder, "dist"))
    for (const file of readdirSync("dist"))
      if (/\.[cm]js$/u.test(file)) cpSync(join("dist", file), join(folder, "dist", file))
    if (program !== undefined)
      for (const name of ["better-sqlite3", "better-sqlite3-napi"]) {
        mkdirSync(join(folder, "node_modules", name), { recursive: true })
        writeFileSync(join(folder, "node_modules", name, "index.js"), program)
      }
    writeFileSync(join(folder, "film.srt"), "1\n00:00:01,000 --> 00:00:04,000\nThe ferry has left.\n")
    writeFileSync(join(folder, "film.yaml"), "jobs: [{ input: film.srt }]\n")
    mkdirSync(join(folder, ".dubwright"))
    writeFileSync(join(folder, ".dubwright/state.sqlite"), "")
    for (const words of [["status", "film.yaml"], ["doctor"], ["run", "film.srt", "--embedded"]]) {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [join(folder, "dist/dubwright.mjs"), ...words],
        // Without ffmpeg, doctor would not start the bundled service.
        { cwd: folder, encoding: "utf8", env: { ...process.env, DUBWRIGHT_FFMPEG: bundled.path } }
      )
      // doctor has printed its earlier findings by then.
      expect([words[0], status, words[0] === "doctor" ? "" : stdout, stderr]).toEqual([
        words[0],
        2,
        "",
        `dubwright: ${message}\n`
      ])
    }
  })
)
