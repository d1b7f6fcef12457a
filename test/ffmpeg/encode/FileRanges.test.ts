/** A file that is synced to disk while it is written reports an error of any of these syncs. */
import { open } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { mkdtempSync, rmSync } from "node:fs"
import { afterAll, expect, it, vi } from "vitest"
import { RunningSync } from "../../../src/ffmpeg/encode/FileRanges.ts"

const folder = mkdtempSync(join(tmpdir(), "dubwright-ranges-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it.each([0, 1, 2])("reports an error of sync %i, which the system reports once", async (failing) => {
  const file = await open(join(folder, `${failing}`), "w")
  const real = file.datasync.bind(file)
  let syncs = 0
  vi.spyOn(file, "datasync").mockImplementation(async () => {
    if (syncs++ === failing) throw Object.assign(new Error("input/output error"), { code: "EIO" })
    await real()
  })
  const sync = new RunningSync(file)
  for (let block = 0; block < 2; block++) {
    const expected = syncs + 1
    while (syncs < expected) {
      await file.write(Buffer.alloc(1024 * 1024))
      sync.wrote(1024 * 1024)
    }
  }
  await expect(sync.finish()).rejects.toThrow("input/output error")
  expect(syncs).toBe(failing === 2 ? 3 : 2)
  await file.close()
})
