/** Copies the results of a run to S3. Files that are there already are not copied again. */
import { readdirSync, statSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { extname, join, sep } from "node:path"
import { Array, Effect, Option, Schema } from "effect"
import { checksumOf } from "../../store/files/Checksum.ts"
import { writeAtomically } from "../../system/AtomicFile.ts"
import type { S3Client } from "../../system/s3/S3Client.ts"
import type { S3Failed } from "../../system/s3/S3Responses.ts"
import { listAll } from "./S3Inputs.ts"

/** Files copied at once; the client sends the parts of a large one in parallel, too. */
const filesAtOnce = 4

/** The copied files, by name, with their times of change in milliseconds since 1970. */
const Sent = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Number }))
const readSent = Schema.decodeOption(Sent)

const mediaTypes: Readonly<Record<string, string>> = {
  ".wav": "audio/wav",
  ".mp3": "audio/mpeg",
  ".flac": "audio/flac",
  ".m4a": "audio/mp4",
  ".mp4": "video/mp4",
  ".html": "text/html; charset=utf-8",
  ".json": "application/json",
  ".srt": "application/x-subrip; charset=utf-8",
  ".vtt": "text/vtt; charset=utf-8"
}

/**
 * Copies the files of the output folder. Those of the whole run, such as its report, come after those of its jobs.
 * Objects of files that are gone from the folder are deleted, if they were copied from it.
 */
export const copyResults = (s3: S3Client, out: string, state: string): Effect.Effect<void, S3Failed> =>
  Effect.gen(function* () {
    const record = `sent-${checksumOf(s3.name).slice(0, 16)}.json`
    const before = Option.getOrElse(
      readSent(yield* Effect.promise(() => readFile(join(state, record), "utf8").catch(() => ""))),
      (): Readonly<Record<string, number>> => ({})
    )
    const there = new Map((yield* listAll(s3)).map(({ name, bytes }) => [name, bytes]))
    const files = filesIn(out)
    const now: Record<string, number> = {}
    const copy = ({ name, path, bytes, modified }: ResultFile) =>
      Effect.gen(function* () {
        if (there.get(name) !== bytes || before[name] !== modified)
          yield* s3.putFile(name, path, mediaTypes[extname(name)] ?? "application/octet-stream")
        now[name] = modified
      })
    const [ofRun, ofJobs] = Array.partition(files, ({ name }) => name.includes("/"))
    const names = new Set(files.map(({ name }) => name))
    const gone = Object.keys(before).filter((name) => there.has(name) && !names.has(name))
    const atOnce = { concurrency: filesAtOnce, discard: true } as const
    yield* Effect.forEach(ofJobs, copy, atOnce).pipe(
      Effect.zipRight(Effect.forEach(ofRun, copy, atOnce)),
      Effect.zipRight(Effect.forEach(gone, s3.remove, atOnce)),
      Effect.ensuring(
        Effect.promise(() =>
          writeAtomically(state, record, Buffer.from(JSON.stringify(now))).catch(() => undefined)
        )
      )
    )
  })

interface ResultFile {
  /** Relative to the output folder, with forward slashes. */
  readonly name: string
  readonly path: string
  readonly bytes: number
  readonly modified: number
}

/** The files below a folder, without hidden and unfinished ones. */
const filesIn = (out: string): ReadonlyArray<ResultFile> =>
  readdirSync(out, { recursive: true, encoding: "utf8" }).flatMap((inside) => {
    const path = join(out, inside)
    const name = inside.split(sep).join("/")
    const found = statSync(path, { throwIfNoEntry: false })
    if (found?.isFile() !== true || /(?:^|\/)\.|\.part$/u.test(name)) return []
    return [{ name, path, bytes: found.size, modified: found.mtimeMs }]
  })
