/** How much room a run needs on the disks of its folders, and how much they have. */
import { readdir, stat, statfs } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import type { DiskSpace } from "../../domain/report/PlanReport.ts"
import type { Utterance } from "../../domain/speech/Utterance.ts"
import { clipBytes, diskNeed, footprintOf } from "../../pipeline/plan/DiskEstimate.ts"
import type { BatchPlan } from "../../pipeline/plan/BatchPlan.ts"
import { nearestFolder } from "./DoctorChecks.ts"

/** One entry a disk; a folder that cannot be looked at is left out, since the run itself will say why. */
export const diskOf = (
  { batch, jobs }: BatchPlan,
  unsent: ReadonlyArray<Utterance>
): Effect.Effect<ReadonlyArray<DiskSpace>> =>
  Effect.promise(async () => {
    const delivered = await Promise.all(
      jobs.map(async (plan) => ({
        footprint: footprintOf(plan, plan.job.video === undefined ? 0 : await sizeOf(plan.job.video.path)),
        present: await sizeWithin(join(batch.out, plan.job.id))
      }))
    )
    // The bundled service keeps its own copy of each task's audio.
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
