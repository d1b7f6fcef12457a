/** A run opens each input once, and the state once, however many steps need them. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, test } from "vitest"
import { emptyFolder, start } from "../app/process.ts"

const cue = (text: string) => `1\n00:00:01,000 --> 00:00:04,000\n${text}\n`

test("a run reads each input once and opens its state once", async () => {
  const cwd = emptyFolder()
  const file = (name: string) => join(cwd, name)
  writeFileSync(file("film.srt"), cue("The ferry has left."))
  writeFileSync(file("other.srt"), cue("Nobody has seen it."))
  writeFileSync(file("film.csv"), "cues,speed\n1,1.1\n")
  const job = { outputs: ["srt"], language: "en" }
  writeFileSync(
    file("night.json"),
    JSON.stringify({
      jobs: [
        { ...job, id: "film", input: "film.srt", sheet: "film.csv" },
        { ...job, id: "again", input: "film.srt" },
        { ...job, id: "other", input: "other.srt" }
      ]
    })
  )
  /** Runs the batch, and counts how often it opened its inputs and the state. */
  const opened = async () => {
    const opens = file("opens.txt")
    writeFileSync(opens, "")
    const env = { OPENS: opens, NODE_OPTIONS: `--require=${resolve("test/pipeline/opens.cjs")}` }
    const { code, stderr } = await start(["run", "night.json", "--embedded"], { cwd, env }).ended
    expect(code, stderr).toBe(0)
    const paths = readFileSync(opens, "utf8").split("\n")
    const names = [
      "night.json",
      "film.srt",
      "other.srt",
      "film.csv",
      ".dubwright/lock.sqlite",
      ".dubwright/state.sqlite"
    ]
    const of = (name: string) => paths.filter((path) => resolve(cwd, path) === file(name)).length
    return Object.fromEntries(names.map((name) => [name, of(name)]))
  }
  // An open state has two connections, one for changes of utterances.
  const once = {
    "night.json": 1,
    "film.srt": 1,
    "other.srt": 1,
    "film.csv": 1,
    ".dubwright/lock.sqlite": 1,
    ".dubwright/state.sqlite": 2
  }
  expect(await opened(), "the first run").toEqual(once)
  expect(await opened(), "nothing has changed").toEqual(once)
  writeFileSync(file("other.srt"), cue("Nobody saw it."))
  expect(await opened(), "a changed subtitle").toEqual(once)
  expect(existsSync(file(".dubwright/state.sqlite-wal")), "the state is closed").toBe(false)
  rmSync(cwd, { recursive: true })
})
