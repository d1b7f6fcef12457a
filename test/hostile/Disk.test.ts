/**
 * The real command on a failing disk: first full, then read-only. The disk is a small tmpfs, mounted where that is
 * permitted.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { serving, temporaryFolder } from "./Batch.ts"
import { resultIn, runIn, started, writeScene } from "./Command.ts"
import { calm, HostileService } from "./HostileService.ts"

const lines = 24

const done = (program: string, ...words: ReadonlyArray<string>): boolean =>
  spawnSync(program, words, { stdio: "ignore" }).status === 0

/** Mounts a tmpfs of `size`, for the lifetime of the scope. Yields whether mounting succeeded. */
const smallDisk = (place: string, size: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      mkdirSync(place)
      return done("mount", "-t", "tmpfs", "-o", `size=${size}`, "tmpfs", place)
    }),
    (mounted) => Effect.sync(() => mounted && done("umount", "-l", place))
  )

const mayMount = Effect.runSync(
  Effect.sync(() => {
    const place = join(process.cwd(), "node_modules", `.mount-${process.pid}`)
    mkdirSync(place, { recursive: true })
    const may = done("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", place) && done("umount", place)
    rmSync(place, { recursive: true })
    return may
  })
)

const title =
  "reports a full and a read-only disk in one line, loses nothing, and continues once the disk is usable again"

if (!mayMount) it.skip(`${title} (skipped: mounting a disk needs root)`)
else
  it.scopedLive(title, () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      writeScene(folder, lines)
      const quiet = yield* temporaryFolder
      writeScene(quiet, lines)
      const well = yield* serving(new HostileService(calm))
      expect(yield* Effect.promise(() => started(quiet, well).ended)).toEqual({ how: 0, words: "" })

      const service = yield* serving(new HostileService(calm))
      const disk = join(folder, "disk")
      yield* smallDisk(disk, "700k")
      const state = join(disk, "state")
      yield* Effect.promise(async () => {
        const small = await started(folder, service, state).ended
        expect(small.how, small.words).toBe(3)
        expect(small.words).toMatch(/^dubwright: .*: its disk is too small for this run; [^\n]*\n$/u)
        expect(service.charged.length).toBe(0)

        const forced = { options: ["--force"] }
        const full = await started(folder, service, state, forced).ended
        expect(full.how, full.words).toBe(3)
        expect(full.words).toMatch(
          /^dubwright: .*: no space left on its disk; free some and run again; nothing paid for is lost[^\n]*\n$/u
        )
        expect(service.charged.length).toBeGreaterThan(0)
        // Accepted tasks count even if the disk was too full to record them.
        expect(runIn(folder)).toMatchObject({
          stopped: { reason: "state" },
          tasks: { created: service.charged.length }
        })

        expect(done("mount", "-o", "remount,ro,size=32m", disk)).toBe(true)
        const locked = await started(folder, service, state).ended
        expect(locked.how, locked.words).toBe(2)
        expect(locked.words).toMatch(/^dubwright: .*: is not writable; make it writable[^\n]*\n$/u)

        expect(done("mount", "-o", "remount,rw,size=32m", disk)).toBe(true)
        expect(await started(folder, service, state).ended).toEqual({ how: 0, words: "" })
      })
      expect(service.charged.length).toBe(lines)
      expect(resultIn(folder).equals(resultIn(quiet))).toBe(true)
    })
  )
