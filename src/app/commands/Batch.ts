/** Commands that work on a batch: a manifest, or subtitles and texts. */
import { Command, Options } from "@effect/cli"
import { Effect } from "effect"
import * as Flags from "../Flags.ts"
import { load } from "../Lazily.ts"
import { shapeOf } from "../Usage.ts"

const run = Command.make(
  "run",
  {
    inputs: Flags.inputs,
    ...Flags.service,
    ...Flags.folders,
    concurrency: Flags.concurrency,
    maxCredits: Flags.amount("max-credits", "N", "Stop creating tasks before this batch spends more."),
    only: Flags.only,
    ...Flags.casting,
    json: Flags.flag("json", "The run's summary (run.json) on stdout, and nothing else there."),
    events: Flags.flag("events", "Progress on stderr as JSON, one event a line."),
    ...Flags.loudness
  },
  (options) =>
    Effect.flatMap(
      load(() => import("../RunCommand.ts")),
      ({ run }) => run(options)
    )
).pipe(
  Command.withDescription(
    "The main job: plan, speak, place, deliver. Run again, it resumes and does only what is new or changed."
  )
)

const plan = Command.make(
  "plan",
  {
    inputs: Flags.inputs,
    ...Flags.service,
    ...Flags.folders,
    only: Flags.only,
    ...Flags.casting,
    json: Flags.json,
    ...Flags.loudness
  },
  (options) =>
    Effect.flatMap(
      load(() => import("../PlanCommand.ts")),
      ({ plan }) => plan(options)
    )
).pipe(
  Command.withDescription(
    "Dry run: utterances, characters, expected credits, every violation. Sends nothing that costs."
  )
)

const stateOptions = {
  inputs: Flags.manifest,
  ...Flags.service,
  ...Flags.folders,
  only: Flags.only,
  ...Flags.casting,
  json: Flags.json,
  ...Flags.loudness
}

const status = Command.make("status", stateOptions, (options) =>
  Effect.flatMap(
    load(() => import("../StateCommands.ts")),
    ({ status }) => status(options)
  )
).pipe(
  Command.withDescription(
    "What is done, under way, failed and left, read from the state file, also while a run is under way."
  )
)

const retry = Command.make(
  "retry",
  {
    ...stateOptions,
    concurrency: Flags.concurrency,
    maxCredits: Flags.amount("max-credits", "N", "Stop creating tasks before this batch spends more."),
    events: Flags.flag("events", "Progress on stderr as JSON, one event a line.")
  },
  (options) =>
    Effect.flatMap(
      load(() => import("../RunCommand.ts")),
      ({ retry }) => retry(options)
    )
).pipe(Command.withDescription("Gives failed utterances another chance and runs the batch."))

const clean = Command.make(
  "clean",
  {
    ...stateOptions,
    remote: Flags.flag("remote", "Also delete this batch's finished tasks on the service.")
  },
  (options) =>
    Effect.flatMap(
      load(() => import("../StateCommands.ts")),
      ({ clean }) => clean(options)
    )
).pipe(Command.withDescription("Removes clips that no manifest entry needs any more."))

const verify = Command.make("verify", stateOptions, (options) =>
  Effect.flatMap(
    load(() => import("../VerifyCommand.ts")),
    ({ verify }) => verify(options)
  )
).pipe(
  Command.withDescription(
    "Decodes the delivered audio and reports, cue by cue, what is heard against report.json."
  )
)

const { json: _json, ...reviewOptions } = stateOptions

const review = Command.make(
  "review",
  {
    ...reviewOptions,
    port: Options.map(
      Flags.wholeNumber(
        "port",
        "PORT",
        { min: 0, max: 65_535 },
        "The port on loopback; default: a free one."
      ),
      (port) => port ?? 0
    )
  },
  (options) =>
    Effect.flatMap(
      load(() => import("../ReviewCommand.ts")),
      ({ review }) => review({ ...options, json: false })
    )
).pipe(
  Command.withDescription(
    "Serves the reports on loopback with a box in which a cue is changed, heard anew and accepted; prints `review URL`."
  )
)

export const batchCommands = [run, plan, status, retry, clean, verify, review] as const
export const batchShapes = [
  shapeOf(run),
  shapeOf(plan),
  shapeOf(status),
  shapeOf(retry),
  shapeOf(clean),
  shapeOf(verify),
  shapeOf(review)
]
