/** provenance.json: the model, voice and task of each clip in a job's files. */
import { FileSystem, Path } from "@effect/platform"
import { Array, Effect } from "effect"
import { digitalSourceUri } from "../../domain/values/SyntheticMark.ts"
import { version } from "../../domain/values/Version.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import type { PlacedJob } from "../place/JobPlacement.ts"
import { streamJson } from "../report/JsonStream.ts"
import { writeResult } from "../report/ResultFolder.ts"

/** The file's name, beside the report. */
export const provenanceName = "provenance.json"

/** Clips read from the state at once. */
const atOnce = 500

/** Writes the provenance of a job's files, or deletes an earlier one if the job's files are not marked. */
export const writeProvenance = Effect.fn("Provenance.writeProvenance")(function* (
  { plan: { job }, out, clips, placements }: PlacedJob,
  files: ReadonlyArray<string>
) {
  const store = yield* UtteranceStore
  const path = yield* Path.Path
  const folder = path.join(out, job.id)
  const file = path.join(folder, provenanceName)
  if (!job.markSynthetic) {
    const fs = yield* FileSystem.FileSystem
    return yield* Effect.ignore(fs.remove(file))
  }
  const heard = new Map<string, Set<number>>()
  for (const { lines, parts } of placements)
    for (const { utterance } of parts) {
      const cues = heard.get(utterance) ?? new Set()
      heard.set(utterance, cues)
      for (const { cue } of lines) cues.add(cue)
    }
  const keys = [...clips.keys()].filter((key) => heard.has(key))
  const rows = yield* Effect.forEach(Array.chunksOf(keys, atOnce), (some) => store.rows(some))
  yield* writeResult(
    file,
    streamJson({
      job: job.id,
      ...(job.language === undefined ? {} : { language: job.language }),
      generator: `dubwright ${version}`,
      statement: "The speech in these files is synthetic: it was made from text by the voices below.",
      digitalSourceType: digitalSourceUri("speech"),
      files: files.map((made) => path.relative(folder, made).split(path.sep).join("/")),
      clips: rows.flat().map(({ utterance: { key, casting }, task }) => ({
        cues: [...(heard.get(key) ?? [])].sort((a, b) => a - b),
        utterance: key,
        provider: casting.provider,
        ...(casting.model === undefined ? {} : { model: casting.model }),
        voice: casting.voice,
        ...(task === undefined ? {} : { task }),
        sha256: clips.get(key)?.checksum ?? ""
      }))
    })
  )
})
