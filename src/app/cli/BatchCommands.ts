/** Commands that work on a batch: a manifest, or subtitles and texts. */
import { Command } from "@effect/cli"
import * as Flags from "./Flags.ts"
import * as OptionKinds from "./OptionKinds.ts"
import { lazyCommand } from "./LazyCommand.ts"
import { shapeOf } from "./UsageCheck.ts"

const run = Command.make(
  "run",
  {
    inputs: Flags.inputs,
    ...Flags.batch,
    ...Flags.speaking,
    ...Flags.fleet,
    json: OptionKinds.flag("json", "The run's summary (run.json) on stdout, and nothing else there."),
    ...Flags.loudness
  },
  lazyCommand(
    () => import("../commands/RunCommand.ts"),
    ({ runCommand }) => runCommand
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
    ...Flags.batch,
    maxCredits: OptionKinds.amount("max-credits", "N", "End with code 4 where the batch would cost more."),
    failOn: Flags.failOn,
    html: OptionKinds.textOption("html", "FILE", "Also write the plan as a page, complete in itself."),
    speakers: OptionKinds.flag("speakers", "Print a voice map to fill in, as YAML, and nothing else."),
    json: Flags.json,
    ...Flags.loudness
  },
  lazyCommand(
    () => import("../commands/PlanCommand.ts"),
    ({ planCommand }) => planCommand
  )
).pipe(
  Command.withDescription(
    "Dry run: utterances, characters, expected credits, lines that will not fit, every violation. Sends nothing that costs."
  )
)

const onManifest = { inputs: Flags.manifest, ...Flags.batch }
const standing = { ...onManifest, json: Flags.json, ...Flags.loudness }

const status = Command.make(
  "status",
  standing,
  lazyCommand(
    () => import("../commands/StateCommands.ts"),
    ({ statusCommand }) => statusCommand
  )
).pipe(
  Command.withDescription(
    "What is done, under way, failed and left, read from the state file, also while a run is under way."
  )
)

const retry = Command.make(
  "retry",
  { ...onManifest, ...Flags.speaking, ...Flags.fleet, json: Flags.json, ...Flags.loudness },
  lazyCommand(
    () => import("../commands/RunCommand.ts"),
    ({ retryCommand }) => retryCommand
  )
).pipe(Command.withDescription("Gives failed utterances another chance and runs the batch."))

const clean = Command.make(
  "clean",
  {
    ...standing,
    olderThan: Flags.olderThan,
    remote: OptionKinds.flag("remote", "Also delete this batch's finished tasks on the service.")
  },
  lazyCommand(
    () => import("../commands/StateCommands.ts"),
    ({ cleanCommand }) => cleanCommand
  )
).pipe(Command.withDescription("Removes clips that no manifest entry needs any more."))

const verify = Command.make(
  "verify",
  standing,
  lazyCommand(
    () => import("../commands/VerifyCommand.ts"),
    ({ verifyCommand }) => verifyCommand
  )
).pipe(
  Command.withDescription(
    "Decodes the delivered audio and reports, cue by cue, what is heard against report.json."
  )
)

const review = Command.make(
  "review",
  {
    ...onManifest,
    inputs: Flags.reviewed,
    port: Flags.port(0, "The port on loopback; default: a free one."),
    ...Flags.loudness
  },
  lazyCommand(
    () => import("../review/ReviewCommand.ts"),
    ({ reviewCommand }) => reviewCommand
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
