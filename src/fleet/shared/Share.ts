/**
 * What all machines of a fleet share: clips, each with its record; a batch's plans and terms, named by their checksums;
 * and the files that deliveries read and make. It is a folder that each machine mounts, or a place in S3. Everything in
 * it is complete or absent.
 */
import { Context, Effect, Option, Schedule, Schema } from "effect"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { checksumOf } from "../../store/files/Checksum.ts"
import type { StateUnusable } from "../../store/state/StateErrors.ts"
import type { SharedClips } from "../../store/state/StateFolder.ts"
import { UtteranceRecord } from "../../store/tables/UtteranceTransfer.ts"
import { FleetUnusable } from "./FleetErrors.ts"
import type { SentFile } from "./JobPayloads.ts"

/** The files that deliveries read and make. In a shared folder, all machines use the same ones. */
export interface ShareFiles {
  /** Whether workers can read and write a path of this machine. */
  readonly holds: (path: string) => boolean
  /** Returns a path in a form that `local` understands on every machine. */
  readonly portable: (path: string) => string
  /** Returns a portable path as this machine's path. */
  readonly local: (path: string) => string
  /** Coordinator: sends files of this machine that a delivery reads. Returns the list for `fetchInputs`. */
  readonly sendInputs: (paths: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<SentFile>, StateUnusable>
  /**
   * Worker: makes the files of a delivery available, and removes those of the last one. Returns false if the share no
   * longer has them.
   */
  readonly fetchInputs: (files: ReadonlyArray<SentFile>) => Effect.Effect<boolean, StateUnusable>
  /** Worker: sends the files that a delivery has made in a job's folder. Returns the list's name for `fetchResults`. */
  readonly sendResults: (
    plan: string,
    out: string,
    job: string
  ) => Effect.Effect<string | undefined, StateUnusable>
  /** Coordinator: brings these files to the output folder. Returns false if the share no longer has them. */
  readonly fetchResults: (
    list: string | undefined,
    out: string
  ) => Effect.Effect<boolean, StateUnusable | FleetUnusable>
  /** Coordinator: deletes a delivery's sent files, once they are no longer needed. */
  readonly dropResults: (plan: string) => Effect.Effect<void>
}

/** The part of a share that its two forms have in common. */
export interface ShareTexts {
  /** Stores a text and returns its name. */
  readonly keep: (text: string) => Effect.Effect<string, StateUnusable>
  /** Reads a stored text. Fails if it does not appear within 35 s, as in a share that is not the fleet's. */
  readonly kept: (name: string) => Effect.Effect<string, StateUnusable | FleetUnusable>
  /** Stores a clip's record beside it, for other machines. */
  readonly keepRecord: (record: UtteranceRecord) => Effect.Effect<void, StateUnusable>
  /**
   * Reads the record of a clip; undefined if the clip is missing or incomplete. `isStored` tells whether it has a size
   * in bytes; by default the share is asked.
   */
  readonly recordOf: (
    key: UtteranceKey,
    isStored?: (key: UtteranceKey, bytes: number) => Effect.Effect<boolean, StateUnusable>
  ) => Effect.Effect<UtteranceRecord | undefined, StateUnusable>
}

export class Share extends Context.Tag("fleet/Share")<
  Share,
  ShareTexts & {
    /** Its folder or address, for messages. */
    readonly name: string
    /** This machine's folder of clips. */
    readonly clips: SharedClips
    /** Reads the records of those utterances whose clips are complete. */
    readonly recordsOf: (
      keys: ReadonlyArray<UtteranceKey>
    ) => Effect.Effect<ReadonlyArray<UtteranceRecord>, StateUnusable>
    /** Makes clips available in the folder. Those that the share lacks stay missing. */
    readonly fetchClips: (records: Iterable<UtteranceRecord>) => Effect.Effect<void, StateUnusable>
    readonly files: ShareFiles
  }
>() {}

/** Access to a share's small files by name. Writes are atomic. */
interface ShareAccess {
  readonly name: string
  readonly read: (name: string) => Effect.Effect<string | undefined, StateUnusable>
  readonly write: (name: string, text: string) => Effect.Effect<void, StateUnusable>
  /** A file's size in bytes; undefined if it is missing. */
  readonly size: (name: string) => Effect.Effect<number | undefined, StateUnusable>
}

const readRecord = Schema.decodeOption(Schema.parseJson(UtteranceRecord))
const writeRecord = Schema.encodeSync(Schema.parseJson(UtteranceRecord))

/** A file of another machine may appear late: network file systems cache that a file did not exist. */
const appearing = Schedule.intersect(Schedule.spaced("1 second"), Schedule.recurs(35))

const strange = (name: string): string =>
  `fleet/${name}.json is missing; use the --share of run --fleet, the same on every machine`

/** Marks a path that is the same on every machine. */
export const portableMark = "share:"

/** The names of a clip's files in a share. */
export const clipName = (key: UtteranceKey, ending: "wav" | "json"): string => `clips/${key}.${ending}`

export const shareTexts = ({ name: about, read, write, size }: ShareAccess): ShareTexts => ({
  keep: (content) => {
    const name = checksumOf(content)
    const file = `fleet/${name}.json`
    return Effect.flatMap(size(file), (known) =>
      Effect.as(known === undefined ? write(file, content) : Effect.void, name)
    )
  },
  kept: (name) =>
    read(`fleet/${name}.json`).pipe(
      Effect.filterOrFail(
        (content) => content !== undefined && checksumOf(content) === name,
        () => new FleetUnusable({ about, words: strange(name) })
      ),
      Effect.map((content) => content ?? ""),
      Effect.retry({ while: ({ _tag }) => _tag === "FleetUnusable", schedule: appearing })
    ),
  keepRecord: (record) => write(clipName(record.utterance.key, "json"), writeRecord(record)),
  recordOf: Effect.fnUntraced(function* (
    key,
    isStored = (_, bytes) => Effect.map(size(clipName(key, "wav")), (found) => found === bytes)
  ) {
    const content = yield* read(clipName(key, "json"))
    const record = content === undefined ? undefined : Option.getOrUndefined(readRecord(content))
    return record?.clip !== undefined && (yield* isStored(key, record.clip.bytes)) ? record : undefined
  })
})
