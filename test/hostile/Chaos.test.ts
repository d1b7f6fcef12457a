/**
 * The real command, killed without warning again and again: its result is the calm run's to the bit, and nothing was paid
 * for twice. `DUBWRIGHT_CHAOS=300x50` makes it 300 utterances and 50 deaths.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { serving, temporaryFolder } from "./Batch.ts"
import { chance } from "./Chance.ts"
import { calm, HostileService } from "./HostileService.ts"

const [utterances = 40, deaths = 5] = (process.env["DUBWRIGHT_CHAOS"] ?? "40x5").split("x").map(Number)

const command = fileURLToPath(new URL("../../dist/dubwright.mjs", import.meta.url))

const clock = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(11, 23).replace(".", ",")

const subtitle = Array.from(
  { length: utterances },
  (_, i) => `${i + 1}\n${clock(i * 3)} --> ${clock(i * 3 + 2.8)}\nThis is line number ${i + 1}.\n`
).join("\n")

/** Starts a run of the subtitle in a folder; resolves with its exit code or the signal that ended it. */
const started = (folder: string, service: HostileService) => {
  const places = ["--state", join(folder, "state"), "--out", join(folder, "out")]
  const options = [
    "--base-url",
    service.baseUrl,
    "--voice",
    "v1",
    "--provider",
    "provider_fast",
    "--quiet",
    ...places
  ]
  const child: ChildProcess = spawn(
    process.execPath,
    [command, "run", join(folder, "scene.srt"), ...options],
    {
      env: { ...process.env, DUBWRIGHT_API_KEY: service.character.key },
      stdio: ["ignore", "ignore", "pipe"]
    }
  )
  let words = ""
  child.stderr?.on("data", (chunk) => (words += String(chunk)))
  const ended = new Promise<{ readonly how: number | string | null; readonly words: string }>((resolve) =>
    child.once("close", (code, signal) => resolve({ how: code ?? signal, words }))
  )
  return { child, ended }
}

const result = (folder: string): Buffer => readFileSync(join(folder, "out/scene/scene.wav"))

it.scopedLive(
  "a run killed at random moments ends as if it never had been",
  () =>
    Effect.gen(function* () {
      const quiet = yield* temporaryFolder
      const folder = yield* temporaryFolder
      for (const place of [quiet, folder]) writeFileSync(join(place, "scene.srt"), subtitle)
      const well = yield* serving(new HostileService({ ...calm, settle: [5, 20] }))
      expect(yield* Effect.promise(() => started(quiet, well).ended)).toEqual({ how: 0, words: "" })

      const random = chance(77)
      const service = yield* serving(new HostileService({ ...calm, settle: [100, 600] }))
      yield* Effect.promise(async () => {
        for (let death = 0; death < deaths; death++) {
          const { child, ended } = started(folder, service)
          const paid = service.charged.length
          // Half of the deaths come at any time, half soon after another task was paid for.
          const timer = setTimeout(() => child.kill("SIGKILL"), 600 + random() * 2_500)
          if (death % 2 === 0) {
            const watch = setInterval(() => {
              if (service.charged.length <= paid + Math.floor(random() * 6)) return
              clearInterval(watch)
              setTimeout(() => child.kill("SIGKILL"), random() * 30)
            }, 5)
            void ended.then(() => clearInterval(watch))
          }
          await ended
          clearTimeout(timer)
        }
      })
      expect(yield* Effect.promise(() => started(folder, service).ended)).toEqual({ how: 0, words: "" })
      expect(service.charged.map((task) => task.text).sort()).toEqual(
        well.charged.map((task) => task.text).sort()
      )
      expect(service.charged.length).toBe(utterances)
      expect(result(folder).equals(result(quiet))).toBe(true)
    }),
  600_000
)
