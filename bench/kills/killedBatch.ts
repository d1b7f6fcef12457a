/** Writes the batch of the benchmark: distinct short lines. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const linesPerJob = 200

const clock = (at: number) => new Date(at * 1000).toISOString().slice(11, 23).replace(".", ",")

/** Writes the batch into a folder and returns its manifest's path. `inFlight` is its `concurrency`. */
export const writeBatch = (
  folder: string,
  { utterances, inFlight }: { readonly utterances: number; readonly inFlight: number },
  baseUrl: string
): string => {
  mkdirSync(folder, { recursive: true })
  const jobs = Math.ceil(utterances / linesPerJob)
  for (let job = 0; job < jobs; job++)
    writeFileSync(
      join(folder, `ep${job}.srt`),
      Array.from(
        { length: Math.min(linesPerJob, utterances - job * linesPerJob) },
        (_, i) => `${i + 1}\n${clock(i)} --> ${clock(i + 0.9)}\nNo. ${job} ${i}\n`
      ).join("\n")
    )
  const file = join(folder, "batch.json")
  writeFileSync(
    file,
    JSON.stringify({
      service: { baseUrl },
      providers: { provider_fast: { concurrency: inFlight } },
      defaults: { provider: "provider_fast", voice: "voice", outputs: ["wav", "srt"] },
      jobs: Array.from({ length: jobs }, (_, job) => ({ input: `ep${job}.srt` }))
    })
  )
  return file
}
