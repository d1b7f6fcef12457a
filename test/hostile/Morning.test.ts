/** The results that a user finds in the morning after a night with failures. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { planned, reached, runIn, scene, started, writeScene } from "./Command.ts"

it.scopedLive(
  "reports each cue that could not be spoken with its own cause",
  () =>
    Effect.gen(function* () {
      const { folder, service } = yield* scene(8, { longest: 20, refuses: /[37]/u }, (line) =>
        line === 5 ? "A word that is too long." : `This is line ${line}.`
      )
      yield* Effect.promise(async () => expect((await started(folder, service).ended).how).toBe(3))
      expect(runIn(folder).jobs).toEqual([
        {
          id: "scene",
          status: "failed",
          error:
            "cues 3, 7 could not be spoken: the service rejected the request: no such words here (HTTP 422); " +
            "cue 5: the text is too long for this provider: at most 20 characters (HTTP 413)"
        }
      ])
    }),
  60_000
)

it.scopedLive(
  "plans tasks of an interrupted run as in flight, not as still to be sent",
  () =>
    Effect.gen(function* () {
      const { folder, service } = yield* scene(24, { settle: [60_000, 60_000] })
      yield* Effect.promise(async () => {
        const { child, ended } = started(folder, service)
        await reached(service, 6)
        child.kill("SIGTERM")
        expect((await ended).how).toBe(143)
        const sent = service.charged.length
        const all = Array.from({ length: 24 }, (_, i) => `This is line number ${i + 1}.`)
        const unsent = all.filter((text) => service.charged.every((task) => task.text !== text))
        expect(await planned(folder, service)).toMatchObject({
          total: {
            utterances: 24,
            reused: 0,
            underWay: sent,
            refused: 0,
            characters: unsent.join("").length
          }
        })
      })
    }),
  60_000
)

it.scopedLive(
  "fetches what a voice has already spoken, even if the voice no longer exists",
  () =>
    Effect.gen(function* () {
      const { folder, service } = yield* scene(4, { settle: [2_000, 2_000] })
      yield* Effect.promise(async () => {
        const { child, ended } = started(folder, service)
        await reached(service, 4)
        child.kill("SIGTERM")
        expect((await ended).how).toBe(143)
        service.voices = ["another"]
        expect(await started(folder, service).ended).toEqual({ how: 0, words: "" })
        expect(runIn(folder).tasks).toMatchObject({ created: 0, resumed: 4, reused: 0 })
        writeScene(folder, 5)
        expect(await started(folder, service).ended).toEqual({
          how: 2,
          words: `dubwright: ${join(folder, "scene.srt")}: unknown voice of provider_fast "v1"; the service has another; job scene first uses it in cue 1\n`
        })
      })
      expect(service.charged.length).toBe(4)
    }),
  60_000
)

/** A module that sets the clock of its process back by three hours as soon as a file exists. */
const setBackOnce = (file: string): string =>
  `import { existsSync } from "node:fs"
const now = Date.now
Date.now = () => now() - (existsSync(${JSON.stringify(file)}) ? 3 * 3_600_000 : 0)`

it.scopedLive(
  "survives a clock that is set back: run times stay positive, and the credit limit holds",
  () =>
    Effect.gen(function* () {
      const { folder, service } = yield* scene(40, { settle: [100, 200] })
      const [flag, loaded] = [join(folder, "set-back"), join(folder, "clock.mjs")]
      writeFileSync(loaded, setBackOnce(flag))
      const options = ["--max-credits", "500"]
      yield* Effect.promise(async () => {
        const env = { NODE_OPTIONS: `--import=${loaded}` }
        const first = started(folder, service, undefined, { options, env })
        await reached(service, 5)
        writeFileSync(flag, "")
        expect((await first.ended).how).toBe(4)
        expect(runIn(folder).seconds).toBeGreaterThan(0)
        expect((await started(folder, service, undefined, { options }).ended).how).toBe(4)
      })
      expect(service.spent).toBeLessThanOrEqual(500)
    }),
  60_000
)
