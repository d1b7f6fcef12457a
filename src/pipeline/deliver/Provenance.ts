/** provenance.json: the model, voice and task of each clip in a job's files. */
import { FileSystem, Path } from "@effect/platform"
import { Array, Effect } from "effect"
import type { TaskId, UtteranceKey } from "../../domain/values/Ids.ts"
import { streamJson } from "../../domain/values/JsonStream.ts"
import { digitalSourceUri } from "../../domain/values/SyntheticMark.ts"
import { version } from "../../domain/values/Version.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import type { PlacedJob } from "../place/JobPlacement.ts"
import { writeResult } from "../report/ResultFolder.ts"

/** The file's name, beside the report. */
export const provenanceName = "provenance.json"

/** Utterances read from the state at once. */
const atOnce = 500

/** Writes the provenance of a job's files, or deletes an earlier one if the job's files are not marked. */
export const writeProvenance = Effect.fn("Provenance.writeProvenance")(function* (
  placed: PlacedJob,
  files: ReadonlyArray<string>
) {
  const store = yield* UtteranceStore
  const path = yield* Path.Path
  const { plan, out, placements } = placed
  const { job } = plan
  const folder = path.join(out, job.id)
  const file = path.join(folder, provenanceName)
  if (!job.markSynthetic) {
    const fs = yield* FileSystem.FileSystem
    return yield* Effect.ignore(fs.remove(file))
  }
  const heard = new Map<UtteranceKey, Array<number>>()
  for (const { lines, parts } of placements)
    for (const { utterance } of parts) {
      const cues = lines.map(({ cue }) => cue)
      const before = heard.get(utterance)
      if (before === undefined) heard.set(utterance, cues)
      else before.push(...cues)
    }
  const tasks = new Map<UtteranceKey, TaskId | undefined>()
  for (const some of Array.chunksOf([...heard.keys()], atOnce))
    for (const { utterance, task } of yield* store.rows(some)) tasks.set(utterance.key, task)
  yield* writeResult(
    file,
    streamJson({
      job: job.id,
      ...(job.language === undefined ? {} : { language: job.language }),
      generator: `dubwright ${version}`,
      statement: "The speech in these files is synthetic: it was made from text by the voices below.",
      digitalSourceType: digitalSourceUri("speech"),
      files: files.map((made) => path.relative(folder, made).split(path.sep).join("/")),
      clips: clipsOf(placed, heard, tasks)
    })
  )
})

/** Yields the entry of each clip in the order of its lines. */
function* clipsOf(
  { plan: { uses }, takes, clips }: PlacedJob,
  heard: ReadonlyMap<UtteranceKey, ReadonlyArray<number>>,
  tasks: ReadonlyMap<UtteranceKey, TaskId | undefined>
) {
  const spoken = new Map([...uses, ...takes].map(({ utterance }) => [utterance.key, utterance.casting]))
  for (const [key, casting] of spoken) {
    const cues = heard.get(key)
    if (cues === undefined) continue
    const task = tasks.get(key)
    yield {
      cues: [...new Set(cues)].sort((a, b) => a - b),
      utterance: key,
      provider: casting.provider,
      ...(casting.model === undefined ? {} : { model: casting.model }),
      voice: casting.voice,
      ...(task === undefined ? {} : { task }),
      sha256: clips.get(key)?.checksum ?? ""
    }
  }
}
