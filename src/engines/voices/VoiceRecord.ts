/** The record of an installed voice, kept as voice.json beside its files. */
import { basename } from "node:path"
import { Schema } from "effect"

/** The licence of a voice, shown before it is installed and kept with it. */
export const VoiceLicence = Schema.Struct({
  /** Its name, such as MIT or CC BY 4.0. */
  name: Schema.NonEmptyString,
  /** Further requirements or open questions. */
  note: Schema.optional(Schema.NonEmptyString),
  /** The attribution of the makers, if the licence requires one. */
  attribution: Schema.optional(Schema.NonEmptyString)
})
export type VoiceLicence = typeof VoiceLicence.Type

/** A speaker as the engine lists it. */
const RecordedSpeaker = Schema.Struct({
  /** Complete id for requests. */
  id: Schema.NonEmptyString,
  name: Schema.NonEmptyString,
  languages: Schema.Array(Schema.String),
  gender: Schema.optional(Schema.Literal("female", "male"))
})

export const VoiceRecord = Schema.Struct({
  id: Schema.NonEmptyString,
  name: Schema.NonEmptyString,
  licence: VoiceLicence,
  /** Its origin: an address or a folder. */
  source: Schema.String,
  /** The digest of the downloaded archive. */
  sha256: Schema.optional(Schema.String),
  /** The folder or .onnx file to load, relative to the record's folder. */
  model: Schema.String,
  languages: Schema.Array(Schema.String),
  speakers: Schema.NonEmptyArray(RecordedSpeaker),
  /** Its files with their sizes in bytes, relative to the record's folder. */
  files: Schema.Record({ key: Schema.String, value: Schema.Int })
})
export type VoiceRecord = typeof VoiceRecord.Type

/** The name of the record's file. */
export const recordFile = "voice.json"

/** Reads and writes the record's file. */
export const VoiceRecordJson = Schema.parseJson(VoiceRecord, { space: 2 })

/** Returns the id of a voice that is named by its path: the name of its folder or file. */
export const voiceIdOf = (path: string): string =>
  basename(path)
    .replace(/\.onnx$/u, "")
    .replace(/[^A-Za-z0-9._-]/gu, "-")
