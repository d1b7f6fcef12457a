/** Outdated outputs on file systems that ignore case, simulated by hard links. */
import { existsSync, linkSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { JobId } from "../../../src/domain/values/Ids.ts"
import { removeOutdated } from "../../../src/pipeline/deliver/DeliveryRecord.ts"

const job = JobId.make("night")
const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
const file = (path: string) => ({ path: join("night/clips", path), bytes: 4, checksum: "" })

it.scoped("keeps a current file whose earlier name differs only in case", () =>
  Effect.gen(function* () {
    const out = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
    const clips = join(out, "night/clips")
    write(join(clips, "0001_anna.wav"), "new.")
    // The same file under its earlier name, as macOS and Windows show it.
    linkSync(join(clips, "0001_anna.wav"), join(clips, "0001_Anna.wav"))
    // A file of its own under such a name, as Linux has it.
    write(join(clips, "0002_ben.wav"), "new.")
    write(join(clips, "0002_Ben.wav"), "old.")
    const before = { digest: "", files: [file("0001_Anna.wav"), file("0002_Ben.wav")] }
    const current = ["0001_anna.wav", "0002_ben.wav"].map((name) => join(clips, name))
    yield* removeOutdated(out, job, before, current)
    const left = ["0001_anna.wav", "0001_Anna.wav", "0002_ben.wav", "0002_Ben.wav"]
    expect(left.map((name) => existsSync(join(clips, name)))).toEqual([true, true, true, false])
  }).pipe(Effect.provide(NodeContext.layer))
)
