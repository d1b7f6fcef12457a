/**
 * Runs a batch whose files are in S3. Its files are copied to this machine before it is read, and its results to S3
 * after the run. The state stays on this machine.
 */
import { tmpdir } from "node:os"
import { join, sep, basename, dirname } from "node:path"
import { Array, Effect, Schema, type Scope, Stream } from "effect"
import { isDynamicPattern } from "tinyglobby"
import { namesManifest } from "../../pipeline/load/BatchLoader.ts"
import type { Batch } from "../../pipeline/load/Job.ts"
import { checksumOf } from "../../store/files/Checksum.ts"
import { isS3Address } from "../../system/s3/S3Address.ts"
import { openS3, type S3Client } from "../../system/s3/S3Client.ts"
import { S3Failed, type ListedObject } from "../../system/s3/S3Responses.ts"
import { readS3Settings } from "../../system/s3/S3Settings.ts"
import { dataFolder, homeFolder } from "../../system/UserFolders.ts"
import { badUsage, CommandEnded, exitCodes } from "../ExitCodes.ts"
import { Screen } from "../terminal/Screen.ts"
import { mediaTypeOf } from "./MediaTypes.ts"
import type { BatchOptions } from "./BatchInput.ts"
import { readdirSync, statSync, createWriteStream, rmSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { writeAtomically, replaceFile } from "../../system/AtomicFile.ts"
import { pipeline } from "node:stream/promises"
import { makeFolder } from "../../system/Folder.ts"

/** A batch with its files on this machine. */
export interface LocalBatch<A> {
  /** The options, with paths on this machine in place of addresses. */
  readonly options: A
  /** Copies the results to S3, if that is where they belong. */
  readonly sendResults: (batch: Pick<Batch, "out" | "state">) => Effect.Effect<void, CommandEnded>
}

/** Copies a batch's files to this machine. Without an address among the options, does nothing. */
export const openS3Batch = Effect.fn("S3Batch.openS3Batch")(function* <A extends BatchOptions>(options: A) {
  const { inputs, out } = options
  const odd = inputs.find((input) => isS3Address(input) !== isS3Address(inputs[0]))
  if (odd !== undefined) return yield* badUsage(`${odd}: expected all inputs in S3, or all on this machine`)
  /** Where `--out` puts the results, if that is in S3. */
  const named = out !== undefined && isS3Address(out) ? out.replace(/\/+$/u, "") : undefined
  if (!isS3Address(inputs[0])) return withInputs(options, inputs, named)
  const first = yield* copiedInput(inputs[0])
  if (first.isManifest && inputs.length > 1)
    return yield* badUsage(`${inputs[1]}: expected one manifest, or several subtitle or text files, not both`)
  const others = yield* Effect.forEach(inputs.slice(1), copiedInput)
  const paths = Array.map([first, ...others] as const, ({ path }) => path)
  if (!first.isManifest) return withInputs(options, paths, named)
  const target = out === undefined ? `${first.base}/out` : named
  const results = target?.startsWith(`${first.base}/`) === true ? target.slice(first.base.length + 1) : "out"
  yield* inS3(first.base, (s3) => copyFolder(s3, first.folder, [`${results}/`, ".dubwright/"]))
  if (!options.quiet)
    yield* Effect.flatMap(Screen, ({ say }) =>
      say(`note: ${inputs[0]}: its files, its state and its results are in ${first.folder}`)
    )
  return withInputs(options, paths, target)
})

/** The options with these inputs. Results in S3 are first delivered beside the manifest. */
const withInputs = <A extends BatchOptions>(
  options: A,
  inputs: Array.NonEmptyReadonlyArray<string>,
  target: string | undefined
): LocalBatch<A> => ({
  options: { ...options, inputs, out: isS3Address(options.out ?? "") ? undefined : options.out },
  sendResults: ({ out, state }) =>
    target === undefined ? Effect.void : inS3(target, (s3) => copyResults(s3, out, state))
})

/** Copies one named file. */
const copiedInput = Effect.fnUntraced(function* (address: string) {
  const at = address.lastIndexOf("/")
  const [base, name] = [address.slice(0, at), address.slice(at + 1)]
  if (isDynamicPattern(name))
    return yield* badUsage(`${address}: a pattern; name a manifest or files, patterns can be in the manifest`)
  if (name === "" || base.length <= "s3://".length)
    return yield* badUsage(`${address}: expected a file (example: s3://BUCKET/season1/batch.yaml)`)
  const folder = join(
    dataFolder(process.platform, process.env, homeFolder() ?? tmpdir()),
    "s3",
    checksumOf(base).slice(0, 16)
  )
  const path = join(folder, name)
  yield* inS3(base, (s3) => copyObject(s3, name, path))
  return { base, folder, path, isManifest: yield* namesManifest(path) }
})

/** Runs an effect with a client of a place in S3. */
const inS3 = <A>(address: string, use: (s3: S3Client) => Effect.Effect<A, S3Failed>) =>
  Effect.scoped(
    Effect.flatMap(readS3Settings(address), (settings): Effect.Effect<A, S3Failed, Scope.Scope> =>
      Effect.flatMap(openS3(settings), use)
    )
  ).pipe(
    Effect.mapError(
      ({ detail, status }) =>
        new CommandEnded({
          code: status === 0 || status >= 500 ? exitCodes.failed : exitCodes.unusable,
          message: `${address}: ${detail}; check the address and the AWS_ variables, and run again`
        })
    )
  )

/** Files copied at once; the client sends the parts of a large one in parallel, too. */
const filesAtOnce = 4

const Copied = Schema.parseJson(
  Schema.Record({ key: Schema.String, value: Schema.Union(Schema.Number, Schema.String) })
)

/** Reads what was copied: by name, a file's time of change (milliseconds since 1970), or the tag of an object. */
const copiedBefore = (record: string) =>
  Effect.promise(() => readFile(record, "utf8").catch(() => "")).pipe(
    Effect.flatMap(Schema.decode(Copied)),
    Effect.orElseSucceed(() => ({})),
    Effect.map((copied) => new Map(Object.entries(copied)))
  )

/**
 * Copies the files of the output folder. Those of the whole run, such as its report, come after those of its jobs.
 * Objects of files that are gone from the folder are deleted, if they were copied from it.
 */
const copyResults = (s3: S3Client, out: string, state: string): Effect.Effect<void, S3Failed> =>
  Effect.gen(function* () {
    const record = `sent-${checksumOf(s3.name).slice(0, 16)}.json`
    const before = yield* copiedBefore(join(state, record))
    const there = new Map((yield* listAll(s3)).map(({ name, bytes }) => [name, bytes]))
    const files = filesIn(out)
    const now: Record<string, number> = {}
    const copy = ({ name, path, bytes, modified }: (typeof files)[number]) =>
      Effect.gen(function* () {
        if (there.get(name) !== bytes || before.get(name) !== modified)
          yield* s3.putFile(name, path, mediaTypeOf(name))
        now[name] = modified
      })
    const [ofRun, ofJobs] = Array.partition(files, ({ name }) => name.includes("/"))
    const names = new Set(files.map(({ name }) => name))
    const gone = [...before.keys()].filter((name) => there.has(name) && !names.has(name))
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

/** The files below a folder, without hidden and unfinished ones. */
const filesIn = (out: string) =>
  readdirSync(out, { recursive: true, encoding: "utf8" }).flatMap((inside) => {
    const path = join(out, inside)
    const name = inside.split(sep).join("/")
    const found = statSync(path, { throwIfNoEntry: false })
    if (found?.isFile() !== true || /(?:^|\/)\.|\.part$/u.test(name)) return []
    // The name has forward slashes.
    return [{ name, path, bytes: found.size, modified: found.mtimeMs }]
  })

// Copies the files of a batch from S3 to this machine. Only what has changed since the last time is copied.

/** Files copied at once. */
const inputsAtOnce = 8

/** Copies an object to a file, which is complete or unchanged. */
const copyObject = (s3: S3Client, name: string, path: string): Effect.Effect<void, S3Failed> =>
  replaceFile(
    path,
    (part) =>
      Effect.scoped(
        Effect.gen(function* () {
          const body = yield* s3.read(name)
          yield* Effect.tryPromise({
            try: () => pipeline(body, createWriteStream(part)),
            catch: (cause) => failed(name, cause)
          })
        })
      ).pipe(Effect.mapError((fault) => (fault.status === 404 ? missing(name) : fault))),
    (_, cause) => failed(name, cause)
  )

const failed = (name: string, cause: unknown) =>
  new S3Failed({
    status: 0,
    detail: `${name} cannot be copied (${cause instanceof Error ? cause.message : String(cause)})`
  })

const missing = (name: string) => new S3Failed({ status: 404, detail: `it has no ${name}` })

/**
 * Copies a folder's objects, except those below `except`, to a folder. Files whose objects were deleted since the last
 * copy are deleted.
 */
const copyFolder = (
  s3: S3Client,
  folder: string,
  except: ReadonlyArray<string>
): Effect.Effect<void, S3Failed> =>
  Effect.gen(function* () {
    const record = `${folder}.json`
    const before = yield* copiedBefore(record)
    const objects = (yield* listAll(s3)).filter(
      ({ name }) => isInside(name) && !except.some((start) => name.startsWith(start))
    )
    const now = new Map<string, string>()
    yield* Effect.forEach(
      objects,
      ({ name, tag, bytes }) =>
        Effect.gen(function* () {
          const path = join(folder, name)
          const size = statSync(path, { throwIfNoEntry: false })?.size
          if (size !== bytes || before.get(name) !== tag) yield* copyObject(s3, name, path)
          now.set(name, tag)
        }),
      { concurrency: inputsAtOnce, discard: true }
    )
    for (const name of before.keys()) if (!now.has(name)) rmSync(join(folder, name), { force: true })
    yield* Effect.tryPromise({
      try: async () => {
        makeFolder(dirname(record))
        await writeAtomically(
          dirname(record),
          basename(record),
          Buffer.from(JSON.stringify(Object.fromEntries(now)))
        )
      },
      catch: (cause) => failed("the list of copies", cause)
    })
  })

/** Lists all objects. */
const listAll = (s3: S3Client): Effect.Effect<ReadonlyArray<ListedObject>, S3Failed> =>
  Effect.map(Stream.runCollect(s3.pages("")), (pages) => [...pages].flat())

/** Whether an object's name is a path to a file inside a folder. Folders made in a console end with a slash. */
const isInside = (name: string): boolean =>
  !/[\\\0]/u.test(name) && name.split("/").every((part) => part !== "" && part !== "." && part !== "..")
