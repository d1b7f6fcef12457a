/** A copy of a running service's data folder is a complete data folder, with everything that the service promised. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { backUp } from "../../../src/service/storage/Backup.ts"
import { ask, create, ended, startService } from "../start.ts"

/** The files and folders that other users may open. */
const openIn = (folder: string): ReadonlyArray<string> =>
  process.platform === "win32"
    ? []
    : [".", ...readdirSync(folder, { recursive: true, encoding: "utf8" })].filter(
        (name) => (statSync(join(folder, name)).mode & 0o077) !== 0
      )

test("a copy that is made while tasks are spoken restores keys, credits, tasks and audio", async () => {
  const root = mkdtempSync(join(tmpdir(), "dubwright-backup-"))
  const [data, copy] = [join(root, "data"), join(root, "copy")]
  for (const folder of [data, copy]) {
    mkdirSync(folder)
    chmodSync(folder, 0o755)
  }
  const service = await startService({ audio: { format: "wav" } }, data)
  const body = { provider: "provider_fast", text: "Good evening, and welcome." }
  try {
    const key = await service.newKey(1_000)
    const first = await create(service, key, "fast-en-us", body)
    const before = await ended(service, key, first.task_id)
    const audio = Buffer.from(await (await fetch(before.audio_url ?? "")).arrayBuffer())
    const others = await Promise.all(
      Array.from({ length: 6 }, () => create(service, key, "fast-en-us", body))
    )
    await Effect.runPromise(backUp(data, copy))
    expect(openIn(copy)).toEqual([])
    await service.close()
    expect(openIn(data)).toEqual([])

    const restored = await startService({ audio: { format: "wav" } }, copy)
    try {
      const after = await ended(restored, key, first.task_id)
      expect({ ...after, audio_url: "" }).toEqual({ ...before, audio_url: "" })
      expect(Buffer.from(await (await fetch(after.audio_url ?? "")).arrayBuffer()).equals(audio)).toBe(true)
      // URLs from before are signed with the same secret.
      const old = (before.audio_url ?? "").replace(service.address, restored.address)
      expect((await fetch(old)).status).toBe(200)
      // Tasks that were queued or being spoken are spoken now; each is charged once.
      for (const { task_id } of others) expect((await ended(restored, key, task_id)).status).toBe("done")
      expect((await ask(restored.address, key, "GET", "/v1/credits")).body).toMatchObject({
        credits: 1_000 - 7 * first.credits,
        reserved: 0
      })
    } finally {
      await restored.close()
    }
    const again = await Effect.runPromise(Effect.flip(backUp(data, copy)))
    expect(again.message).toContain("the folder is not empty; choose another with --to")
    const nowhere = await Effect.runPromise(Effect.flip(backUp(join(root, "none"), join(root, "x"))))
    expect(nowhere.message).toContain("no service data here")
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})
