/** Loads the batch that the command line names, and prints its notices. */
import type { Array } from "effect"
import { Effect, Layer } from "effect"
import { type LoadFlags, loadForRun } from "../../library/BatchLoading.ts"
import type { Batch, Job } from "../../pipeline/load/Job.ts"
import type { ReadInput } from "../../pipeline/load/InputFile.ts"
import type { StateOf } from "../../store/tables/StateLayers.ts"
import type { BatchPlan } from "../../pipeline/plan/BatchPlan.ts"
import { Progress } from "../../pipeline/Progress.ts"
import { unlistedText } from "../../pipeline/load/UnlistedSubtitles.ts"
import { formatCount } from "../../pages/parts/TimeFormat.ts"
import { commandService, type ServiceFlags } from "../layers/GatewayLayer.ts"
import { Screen } from "../terminal/Screen.ts"

/** Options of every command on a batch. */
export interface BatchOptions extends ServiceFlags, Omit<LoadFlags, "cwd" | "read" | "withoutTracks"> {
  readonly inputs: Array.NonEmptyReadonlyArray<string>
  readonly json?: boolean
  readonly quiet: boolean
  readonly verbose: boolean
}

/** Loads the batch and finds the provider of each voice that has none. */
export const loadBatchInput = Effect.fn("BatchInput.loadBatchInput")(function* (
  options: BatchOptions,
  read?: ReadInput,
  known?: StateOf
) {
  const { batch, notes } = yield* loadForRun({ files: options.inputs }, { ...options, read }, known).pipe(
    Effect.provide([commandService(options), warningsOnScreen])
  )
  if (!options.quiet) yield* sayNotes(notes)
  return batch
})

/** Prints notes on stderr. */
export const sayNotes = (notes: ReadonlyArray<string>) =>
  Effect.flatMap(Screen, ({ say }) =>
    Effect.forEach(notes, (note) => say(`note: ${note}`), { discard: true })
  )

/** What jobs read. */
interface FilesOf {
  readonly jobs: ReadonlyArray<Pick<Job, "input" | "video" | "sync">>
}

/** Says on a terminal what is read before the plan is known: comparing films with their subtitles takes a while. */
export const tellReading = Effect.fnUntraced(function* (
  batch: FilesOf,
  { quiet, json = false }: Pick<BatchOptions, "quiet" | "json">
) {
  const screen = yield* Screen
  if (screen.live && !quiet && !json) yield* screen.say(readingText(batch))
})

/** The text of `tellReading`: `reading 8 subtitles, listening to 4 films`. */
export const readingText = ({ jobs }: FilesOf): string => {
  const films = new Set(jobs.flatMap(({ video, sync }) => (sync === undefined ? [] : (video?.path ?? []))))
  const scripts = new Set(jobs.map(({ input }) => input))
  const reading = `reading ${formatCount(scripts.size, "subtitle")}`
  return films.size === 0 ? reading : `${reading}, listening to ${formatCount(films.size, "film")}`
}

/** Prints the warnings of checks before a run as notes. */
export const warningsOnScreen = Layer.effect(
  Progress,
  Effect.map(Screen, ({ say }) => ({
    emit: (event) => (event._tag === "Warning" ? say(`note: ${event.message}`) : Effect.void)
  }))
)

/** Notices printed without --verbose; the rest are only counted. */
const maxPrinted = 12

/** Prints the repairs and skipped parts of the scripts on stderr. */
export const printNotices = Effect.fnUntraced(function* (
  { notices }: Pick<BatchPlan, "notices">,
  { quiet, verbose }: Pick<BatchOptions, "quiet" | "verbose">
) {
  if (quiet) return
  const shown = verbose ? notices : notices.slice(0, maxPrinted)
  const rest = notices.length - shown.length
  yield* sayNotes([...shown, ...(rest > 0 ? [`and ${rest} more like these (--verbose lists all)`] : [])])
})

/** Prints one line on stderr: the subtitles beside a manifest that are in none of its jobs. */
export const tellUnlisted = Effect.fnUntraced(function* (manifest: string, files: ReadonlyArray<string>) {
  const text = unlistedText(manifest, files)
  yield* sayNotes(text === undefined ? [] : [text])
})

/** Prints on stderr which voices speak for jobs that name none. */
export const tellDefaultVoices = ({ remarks = [] }: Pick<Batch, "remarks">) => sayNotes(remarks)

type Program = { readonly command?: ReadonlyArray<string> | undefined } | "off" | undefined

/** The programs that a manifest names, with their arguments and the setting that names each. */
export const programsIn = ({
  jobs,
  notify
}: {
  readonly jobs: ReadonlyArray<{
    readonly separate?: Program
    readonly listen?: Program
    readonly rewrite?: Program
  }>
  readonly notify?: Program
}): ReadonlySet<string> => {
  const named = (setting: string, program: Program) =>
    program === undefined || program === "off" || program.command === undefined
      ? []
      : [
          `${program.command.map((word) => (/^[\w./{}:=@-]+$/u.test(word) ? word : JSON.stringify(word))).join(" ")} (${setting})`
        ]
  return new Set([
    ...jobs.flatMap(({ separate, listen, rewrite }) => [
      ...named("separate", separate),
      ...named("listen", listen),
      ...named("rewrite", rewrite)
    ]),
    ...named("notify", notify)
  ])
}
