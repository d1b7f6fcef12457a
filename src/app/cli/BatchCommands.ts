/**
 * Definitions of the commands that work on a batch: run, watch, plan, status, retry, clean, verify, review,
 * export-lines, import-lines.
 */
import { Command } from "@effect/cli"
import * as Flags from "./Flags.ts"
import * as OptionKinds from "./OptionKinds.ts"
import { lazyCommand } from "./LazyCommand.ts"
import { profileNames } from "../../domain/manifest/DeliveryProfile.ts"

const run = Command.make(
  "run",
  {
    inputs: Flags.inputs,
    ...Flags.batch,
    ...Flags.speaking,
    ...Flags.fleet,
    json: OptionKinds.flag("json", "print only the run's summary (run.json) on stdout"),
    ...Flags.loudness
  },
  lazyCommand(async () => (await import("../commands/RunCommand.ts")).runCommand)
).pipe(
  Command.withDescription("Dub a batch; run it again to resume, or to process only new and changed lines")
)

const watch = Command.make(
  "watch",
  {
    inputs: Flags.inputs,
    ...Flags.batch,
    ...Flags.speaking,
    ...Flags.fleet,
    settle: OptionKinds.seconds("settle", 10, "process a file once it has not changed for this long"),
    every: OptionKinds.seconds("every", 5, "time between two checks of the files"),
    json: OptionKinds.flag("json", "print only each run's summary (run.json) on stdout"),
    ...Flags.loudness
  },
  lazyCommand(async () => (await import("../commands/WatchCommand.ts")).watchCommand)
).pipe(
  Command.withDescription(
    "Wait for files to arrive, and dub each once; ends at the deadline, at the credit limit or on Ctrl-C"
  )
)

const plan = Command.make(
  "plan",
  {
    inputs: Flags.inputs,
    ...Flags.batch,
    maxCredits: OptionKinds.amount("max-credits", "N", "exit with code 4 if the batch would cost more"),
    failOn: Flags.failOn,
    html: OptionKinds.textOption("html", "FILE", "also write the plan as a self-contained HTML page"),
    speakers: OptionKinds.flag(
      "speakers",
      "print only a voice map to fill in, as YAML, or complete the cast file"
    ),
    json: Flags.json,
    ...Flags.loudness
  },
  lazyCommand(async () => (await import("../commands/PlanCommand.ts")).planCommand)
).pipe(
  Command.withDescription(
    "Dry run: print the cost, lines that will not fit and every error, without spending anything"
  )
)

const onManifest = { inputs: Flags.manifest, ...Flags.batch }
const standing = { ...onManifest, json: Flags.json, ...Flags.loudness }

const status = Command.make(
  "status",
  standing,
  lazyCommand(async () => (await import("../commands/StateCommands.ts")).statusCommand)
).pipe(Command.withDescription("Show finished, in-flight, failed and remaining work, also during a run"))

const retry = Command.make(
  "retry",
  { ...onManifest, ...Flags.speaking, ...Flags.fleet, json: Flags.json, ...Flags.loudness },
  lazyCommand(async () => (await import("../commands/RunCommand.ts")).retryCommand)
).pipe(Command.withDescription("Retry failed lines, then run the batch"))

const clean = Command.make(
  "clean",
  {
    ...standing,
    olderThan: Flags.olderThan,
    remote: OptionKinds.flag("remote", "also delete this batch's finished tasks on the service")
  },
  lazyCommand(async () => (await import("../commands/StateCommands.ts")).cleanCommand)
).pipe(Command.withDescription("Delete clips that no manifest needs"))

const verify = Command.make(
  "verify",
  {
    ...standing,
    inputs: Flags.verified,
    profile: OptionKinds.textOption(
      "profile",
      "NAME",
      `check audio and video files against a delivery profile: ${profileNames.join(", ")}, or a file`
    ),
    film: OptionKinds.textOption("film", "FILE", "with --profile: the film whose length the files must have")
  },
  lazyCommand(async () => (await import("../commands/VerifyCommand.ts")).verifyCommand)
).pipe(
  Command.withDescription(
    "Compare the delivered audio with report.json, cue by cue; with --profile, check files against a delivery profile"
  )
)

const review = Command.make(
  "review",
  {
    ...onManifest,
    inputs: Flags.reviewed,
    port: Flags.port(0, "port on loopback; default: a free one"),
    reviewer: Flags.reviewer,
    ...Flags.loudness
  },
  lazyCommand(async () => (await import("../review/ReviewCommand.ts")).reviewCommand)
).pipe(Command.withDescription("Edit single cues in a browser: change, listen, accept (prints `review URL`)"))

const exportLines = Command.make(
  "export-lines",
  {
    ...onManifest,
    inputs: Flags.reviewed,
    to: OptionKinds.textOr("to", "FILE", "lines.csv", "a .csv or .xlsx file; default: lines.csv"),
    proposals: OptionKinds.flag(
      "proposals",
      "fill in the rewriter's proposals as new texts, for you to check"
    ),
    ...Flags.loudness
  },
  lazyCommand(async () => (await import("../commands/LineListCommands.ts")).exportLinesCommand)
).pipe(
  Command.withDescription("Write the lines that do not fit to a spreadsheet, for a translator to shorten")
)

const importLines = Command.make(
  "import-lines",
  {
    ...onManifest,
    inputs: Flags.reviewed,
    from: OptionKinds.textOr("from", "FILE", "lines.csv", "the edited list; default: lines.csv"),
    long: OptionKinds.flag("long", "also accept texts that are still too long"),
    ...Flags.loudness
  },
  lazyCommand(async () => (await import("../commands/LineListCommands.ts")).importLinesCommand)
).pipe(Command.withDescription("Check an edited list of export-lines, and save its new texts as overrides"))

export const batchCommands = [
  run,
  watch,
  plan,
  status,
  retry,
  clean,
  verify,
  review,
  exportLines,
  importLines
] as const
