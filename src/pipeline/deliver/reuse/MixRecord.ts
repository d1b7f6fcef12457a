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
import type { JobId } from "../../../domain/values/Ids.ts"
import { builtOf } from "../../../domain/values/Version.ts"
import { checksumOf } from "../../../store/files/Checksum.ts"
import { ClipFolder } from "../../../store/files/ClipFolder.ts"
import { partOf } from "../../../system/AtomicFile.ts"

const Frames = Schema.Struct({
  /** Where the first frame of a FLAC file begins, in bytes. */
  at: Schema.Number,
  /** The sizes of each section's frames. */
  sections: Schema.Array(Schema.Struct({ bytes: Schema.Number, least: Schema.Number, most: Schema.Number })),
  /** The state of the checksum after each section; empty if the file has none. */
  states: Schema.Array(Schema.Uint8ArrayFromSelf)
})

/** A version of a file: how it is recognised, the digests of its sections, and the frames of a FLAC file. */
const Version = Schema.Struct({
  identity: Schema.String,
  sections: Schema.Array(Schema.String),
  frames: Schema.optional(Frames)
})

const MixFile = Schema.Struct({
  /** Absolute. */
  path: Schema.String,
  /** Digest of its header, and of everything that determines its layout and sample format. */
  format: Schema.String,
  header: Schema.String,
  present: Version,
  /** The version before it, under another name. */
  spare: Schema.optional(Version)
})

/** A WAV or FLAC file of a delivered mix. */
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

  /** Returns the path for data about one file of the mix, or about the mix itself. */
  pathOf(ending: string, file = ""): string {
    return join(this.folder, `${file === "" ? this.name : checksumOf(file).slice(0, 32)}.${ending}`)
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

  /** Removes the files of the mix itself whose names match `ending`, except those at the paths in `kept`. */
  removeOthers(ending: RegExp, kept: ReadonlySet<string>): void {
    try {
      for (const name of readdirSync(this.folder)) {
        const path = join(this.folder, name)
        if (name.startsWith(`${this.name}.`) && ending.test(name) && !kept.has(path))
          rmSync(path, { force: true })
      }
    } catch {
      // There are none, or they only take space.
    }
  }

  remove(ending: string, file = ""): void {
    try {
      rmSync(this.pathOf(ending, file), { force: true })
    } catch {
      // It is recognised as outdated.
    }
  }
}

const checksumBytes = 64

/** Returns the folder of each mix of a job that is delivered to `out`: the first has the whole mix. */
export const mixFolders = (out: string, job: JobId) =>
  Effect.map(ClipFolder, ({ state }) => mixFoldersIn(state, out, job))

/** Like `mixFolders`, for a state folder that need not be open. */
export const mixFoldersIn =
  (state: string, out: string, job: JobId) =>
  (number: number): MixFolder =>
    new MixFolder(state, out, job, `${number}`)

/** The endings of spare versions, of frames in AAC, and of files that a killed process leaves. */
const removable = [".spare", ".spare.part", ".patch", ".aac", ".aac.part", ".aac.wav", ".aac.adts"]

/** Deletes what only makes the next edit of a file faster. Returns the number of bytes freed. */
export const removeSpares = Effect.map(ClipFolder, ({ state }) => {
  const folder = join(state, folderName)
  let freed = 0
  try {
    for (const name of readdirSync(folder)) {
      if (!removable.some((ending) => name.endsWith(ending))) continue
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
