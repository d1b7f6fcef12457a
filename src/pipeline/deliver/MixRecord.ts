/**
 * The record of a delivered mix: the input of each section, its measurements, and its files. A record that is missing,
 * unreadable or of another build only costs time.
 */
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { deserialize, serialize } from "node:v8"
import { Effect, Option, Schema } from "effect"
import type { JobId } from "../../domain/values/Ids.ts"
import { builtOf } from "../../domain/values/Version.ts"
import { checksumOf } from "../../store/files/Checksum.ts"
import { ClipFolder } from "../../store/files/ClipFolder.ts"
import { partOf } from "../../system/AtomicFile.ts"

const MixFile = Schema.Struct({
  /** Absolute. */
  path: Schema.String,
  /** Tells whether the file is as it was written. */
  identity: Schema.String,
  /** Digest of its header, its length and its sample format. */
  header: Schema.String,
  /** The digest of each section's samples. */
  sections: Schema.Array(Schema.String)
})

/** A WAV file of a delivered mix. */
export type MixFile = typeof MixFile.Type

const Record = Schema.Struct({
  build: Schema.Literal(builtOf),
  measured: Schema.Array(
    Schema.Struct({
      digest: Schema.String,
      steps: Schema.declare((value): value is Float64Array => value instanceof Float64Array),
      truePeak: Schema.Number,
      peaks: Schema.declare((value): value is Float32Array => value instanceof Float32Array),
      firstPeak: Schema.Number
    })
  ),
  files: Schema.Array(MixFile)
})

/** A record without the build that made it. */
export type MixRecord = Omit<typeof Record.Type, "build">

/** The folder of all mixes, in the state folder. */
const folderName = "mixes"

/** The names that belong to one mix of a job, in a folder of the state. */
export class MixFolder {
  private readonly folder: string
  private readonly name: string

  /** `state` is the state folder; `names` identify the mix. */
  constructor(state: string, ...names: ReadonlyArray<string>) {
    this.folder = join(state, folderName)
    this.name = checksumOf(names.join("\0")).slice(0, 32)
  }

  private pathOf(ending: string): string {
    return join(this.folder, `${this.name}.${ending}`)
  }

  /** Returns the data stored under an ending; none if it is missing or damaged. */
  read<A, I>(ending: string, schema: Schema.Schema<A, I>): Option.Option<A> {
    try {
      const bytes = readFileSync(this.pathOf(ending))
      const content = bytes.subarray(checksumBytes)
      if (checksumOf(content) !== bytes.toString("latin1", 0, checksumBytes)) return Option.none()
      return Schema.decodeUnknownOption(schema)(deserialize(content))
    } catch {
      return Option.none()
    }
  }

  /** Stores a value. A value that cannot be stored is missing the next time. */
  write(ending: string, value: unknown): void {
    const path = this.pathOf(ending)
    try {
      const content = serialize(value)
      mkdirSync(this.folder, { recursive: true })
      // One after the other: joined, they would be in memory twice.
      const file = openSync(partOf(path), "w")
      try {
        writeFileSync(file, checksumOf(content), "latin1")
        writeFileSync(file, content)
      } finally {
        closeSync(file)
      }
      renameSync(partOf(path), path)
    } catch {
      this.remove(ending)
    }
  }

  remove(ending: string): void {
    try {
      rmSync(this.pathOf(ending), { force: true })
    } catch {
      // It is recognised as outdated.
    }
  }
}

const checksumBytes = 64

/** Returns the folder of each mix of a job that is delivered to `out`: the first has the whole mix. */
export const mixFolders = (out: string, job: JobId) =>
  Effect.map(
    ClipFolder,
    ({ state }) =>
      (number: number): MixFolder =>
        new MixFolder(state, out, job, `${number}`)
  )

/** Deletes what earlier versions of dubwright kept for the next edit of a file. Returns the number of bytes freed. */
export const removeLeftovers = Effect.map(ClipFolder, ({ state }) => {
  const folder = join(state, folderName)
  let freed = 0
  try {
    for (const name of readdirSync(folder)) {
      if (!/\.(?:spare|patch|aac)(?:\.|$)/u.test(name)) continue
      freed += statSync(join(folder, name)).size
      rmSync(join(folder, name))
    }
  } catch {
    // There are none, or they cannot be deleted.
  }
  return freed
})

/** Reads the record of a mix. */
export const readMixRecord = (folder: MixFolder): MixRecord | undefined =>
  Option.getOrUndefined(folder.read("record", Record))

/** Stores the record of a mix. */
export const writeMixRecord = (folder: MixFolder, record: MixRecord): void =>
  folder.write("record", { ...record, build: builtOf })
