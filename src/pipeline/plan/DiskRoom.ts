/** Disk space that a run needs in its folders, and how much is free. */
import { readdir, stat, statfs } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import type { DiskSpace } from "../../domain/report/PlanReport.ts"
import type { Utterance } from "../../domain/speech/Utterance.ts"
import { clipBytes, diskNeed, footprintOf } from "./DiskEstimate.ts"
import type { BatchPlan } from "./BatchPlan.ts"

/** Returns one entry per disk. A folder that cannot be read is left out, since the run itself reports why. */
export const diskOf = (
  { batch, jobs }: BatchPlan,
  unsent: ReadonlyArray<Utterance>
): Effect.Effect<ReadonlyArray<DiskSpace>> =>
  Effect.promise(async () => {
    const delivered = await Promise.all(
      jobs.map(async (plan) => ({
        footprint: footprintOf(
          plan,
          plan.job.video === undefined ? 0 : await sizeOf(plan.job.video.path),
          plan.job.background === undefined ? 0 : await sizeOf(plan.job.background.path)
        ),
        present: await sizeWithin(join(batch.out, plan.job.id))
      }))
    )
    // The bundled service keeps a second copy of each task's audio.
    const copies = batch.service === "embedded" ? 2 : 1
    const needs = [
      { folder: batch.out, needed: diskNeed(delivered) },
      { folder: batch.state, needed: clipBytes(unsent) * copies }
    ]
    const disks = new Map<number, DiskSpace>()
    for (const { folder, needed } of needs) {
      const disk = await diskUnder(folder)
      if (disk === undefined) continue
      const before = disks.get(disk.device)
      disks.set(disk.device, {
        folders: [...(before?.folders ?? []), folder],
        needed: (before?.needed ?? 0) + needed,
        free: disk.free
      })
    }
    return [...disks.values()]
  })

const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0
  )

const sizeWithin = async (folder: string): Promise<number> => {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])
  const sizes = await Promise.all(
    entries.map((entry) => (entry.isFile() ? sizeOf(join(entry.parentPath, entry.name)) : 0))
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

const diskUnder = async (
  folder: string
): Promise<{ readonly device: number; readonly free: number } | undefined> => {
  try {
    const base = await nearestFolder(folder)
    const { bavail, bsize } = await statfs(base)
    return { device: (await stat(base)).dev, free: bavail * bsize }
  } catch {
    return undefined
  }
}

/** Returns the folder itself, or its nearest existing ancestor. */
export const nearestFolder = async (path: string): Promise<string> => {
  const here = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return undefined
    throw cause
  })
  if (here === undefined) return nearestFolder(dirname(path))
  if (!here.isDirectory()) throw new Error(`${path} is a file, not a folder`)
  return path
}
