/** The real command, stopped by signals: responses in flight are recorded, and nothing is paid for twice. */
import { spawnSync } from "node:child_process"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { onTerminal, reached, runIn, scene, started } from "./Command.ts"
import type { Character } from "./HostileService.ts"

const lines = 60

/** Milliseconds within which a first signal ends a run. */
const grace = 5_000

it.scopedLive(
  "saves tasks in flight on SIGINT and SIGTERM, exits with their codes, and resumes in the next run",
  () =>
    Effect.gen(function* () {
      const { folder, service } = yield* scene(lines, { settle: [300, 600] })
      yield* Effect.promise(async () => {
        for (const [signal, code] of [
          ["SIGINT", 130],
          ["SIGTERM", 143]
        ] as const) {
          const before = service.charged.length
          const { child, ended } = started(folder, service)
          await reached(service, before + 12)
          const from = Date.now()
          child.kill(signal)
          const end = await ended
          expect(end).toEqual({
            how: code,
            words: "dubwright: interrupted; progress is saved, run the same command again to continue\n"
          })
          expect(Date.now() - from).toBeLessThan(grace)
          expect(service.charged.length).toBeLessThan(lines)
          const { jobs, tasks, stopped } = runIn(folder)
          const error = "the run was interrupted; run again to resume"
          expect({ jobs, created: tasks.created, stopped }).toEqual({
            jobs: [{ id: "scene", status: "unfinished", error }],
            created: service.charged.length - before,
            stopped: { reason: "interrupted", words: error }
          })
        }
        const sent = service.charged.length
        expect(await started(folder, service).ended).toEqual({ how: 0, words: "" })
        const { created, adopted, resumed, reused } = runIn(folder).tasks
        expect({ created, all: created + adopted + resumed + reused }).toEqual({
          created: lines - sent,
          all: lines
        })
      })
      expect(new Set(service.charged.map(({ text }) => text)).size).toBe(lines)
      expect(service.charged.length).toBe(lines)
    }),
  60_000
)

it.scopedLive(
  "stops at once on a second signal, even with a response in flight, and still pays for nothing twice",
  () =>
    Effect.gen(function* () {
      const odds: Character["odds"] = { "create-hang-after": 1 }
      const { folder, service } = yield* scene(lines, { odds })
      yield* Effect.promise(async () => {
        const { child, ended } = started(folder, service)
        await reached(service, 4)
        child.kill("SIGINT")
        // The responses hang, so the run is still finishing after the first signal.
        const first = await Promise.race([ended, new Promise((later) => setTimeout(later, 700, "waiting"))])
        expect(first).toBe("waiting")
        child.kill("SIGINT")
        expect((await ended).how).toBe("SIGINT")
        odds["create-hang-after"] = 0
        const paid = service.charged.length
        expect(await started(folder, service).ended).toMatchObject({ how: 0 })
        expect(paid).toBeLessThan(lines)
      })
      expect(service.charged.length).toBe(lines)
    }),
  60_000
)

it.scopedLive(
  "continues after its stderr is closed, and after SIGHUP if it was started without a terminal",
  () =>
    Effect.gen(function* () {
      const { folder, service } = yield* scene(lines, { settle: [20, 60] })
      yield* Effect.promise(async () => {
        const { child, ended } = started(folder, service, undefined, { options: ["--events"] })
        await reached(service, 4)
        child.stderr?.destroy()
        child.kill("SIGHUP")
        expect((await ended).how).toBe(0)
      })
      expect(service.charged.length).toBe(lines)
    }),
  60_000
)

const title = "is interrupted when its terminal is closed"
const terminal = spawnSync("script", ["-qec", "true", "/dev/null"], { stdio: "ignore" }).status === 0

if (!terminal) it.skip(`${title} (skipped: needs script from util-linux)`)
else
  it.scopedLive(
    title,
    () =>
      Effect.gen(function* () {
        const { folder, service } = yield* scene(lines, { settle: [300, 600] })
        yield* Effect.promise(async () => {
          const { window, ended } = onTerminal(folder, service)
          await reached(service, 4)
          window.kill("SIGKILL")
          await ended
          expect(runIn(folder).stopped?.reason).toBe("interrupted")
        })
        expect(runIn(folder).tasks.created).toBe(service.charged.length)
        expect(service.charged.length).toBeLessThan(lines)
      }),
    60_000
  )
