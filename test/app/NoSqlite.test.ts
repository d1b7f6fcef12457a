/** The command where what it needs was installed by another Node, or not at all. */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { plainFolder } from "../ffmpeg/media.ts"

it.scoped.each([
  ["nothing is installed", undefined],
  ["its binary is none for this Node", 'throw new Error("NODE_MODULE_VERSION 1")']
])("says what to do where %s", ([, program]) =>
  Effect.gen(function* () {
    const folder = yield* plainFolder
    mkdirSync(join(folder, "dist"))
    for (const file of readdirSync("dist"))
      if (file.endsWith(".mjs")) cpSync(join("dist", file), join(folder, "dist", file))
    if (program !== undefined)
      for (const name of ["better-sqlite3", "better-sqlite3-napi"]) {
        mkdirSync(join(folder, "node_modules", name), { recursive: true })
        writeFileSync(join(folder, "node_modules", name, "index.js"), program)
      }
    for (const words of [["status", "film.yaml"], ["doctor"], ["run", "film.srt", "--embedded"]]) {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [join(folder, "dist/dubwright.mjs"), ...words],
        { cwd: folder, encoding: "utf8" }
      )
      // What doctor found before it met SQLite is printed by then.
      expect([words[0], status, words[0] === "doctor" ? "" : stdout, stderr]).toEqual([
        words[0],
        2,
        "",
        `dubwright: better-sqlite3 does not load in Node ${process.versions.node}: run npm run setup in dubwright's folder with this Node, or go back to the one that installed it\n`
      ])
    }
  })
)
