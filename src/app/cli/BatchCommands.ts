/**
 * Definitions of the commands that work on a batch: run, watch, plan, status, retry, clean, verify, review,
 * export-lines, import-lines.
 */
import { Duration, Schema } from "effect"
import { profileNames } from "../../domain/manifest/DeliveryProfile.ts"
import { failOnNames } from "../commands/FailOn.ts"
import * as Flags from "./Flags.ts"
import {
  amount,
  checked,
  command,
  flag,
  list,
  manyArguments,
  maybe,
  onlyArgument,
  withDefault,
  seconds,
  text
} from "./OptionKinds.ts"

const inputs = manyArguments(
  "file",
  "one manifest, or scripts (.srt .vtt .ass .ttml .stl .scc .csv .xlsx .txt …; see help formats)"
)
const manifest = manyArguments(
  "manifest",
  "a manifest (.yaml .yml .json), or the files that were passed to run"
)
const verified = manyArguments(
  "manifest",
  "a manifest, or the files that were passed to run; with --profile: audio and video files"
)
const reviewed = onlyArgument(
  "manifest",
  "a manifest (.yaml .yml .json); accepted changes are saved beside it"
)

const running = { inputs, ...Flags.batch, ...Flags.speaking, ...Flags.fleet }

const onManifest = { inputs: manifest, ...Flags.batch, ...Flags.loudness }
const standing = { ...onManifest, json: Flags.json }

const age = Schema.transform(Schema.String.pipe(Schema.pattern(/^\d{1,5}[hdw]$/u)), Schema.DurationFromSelf, {
  strict: true,
  decode: (text) =>
    Duration.hours(Number.parseInt(text, 10) * (text.endsWith("h") ? 1 : text.endsWith("d") ? 24 : 168)),
  encode: (age) => `${Math.round(Duration.toHours(age))}h`
})

/** In the order in which help lists them. */
export const batchCommands = [
  command(
    "run",
    "Dub a batch; run it again to resume, or to process only new and changed lines",
    {
      ...running,
      json: flag("json", "print only the run's summary (run.json) on stdout"),
      ...Flags.loudness
    },
    async () => (await import("../commands/RunCommand.ts")).runCommand
  ),
  command(
    "watch",
    "Wait for files to arrive, and dub each once; ends at the deadline, at the credit limit or on Ctrl-C",
    {
      ...running,
      settle: seconds("settle", 10, "process a file once it has not changed for this long"),
      every: seconds("every", 5, "time between two checks of the files"),
      json: flag("json", "print only each run's summary (run.json) on stdout"),
      ...Flags.loudness
    },
    async () => (await import("../commands/WatchCommand.ts")).watchCommand
  ),
  command(
    "plan",
    "Dry run: print the cost, lines that will not fit and every error, without spending anything",
    {
      inputs,
      ...Flags.batch,
      maxCredits: amount("max-credits", "N", "exit with code 4 if the batch would cost more"),
      failOn: withDefault(
        list(
          "fail-on",
          "WHAT",
          Schema.Literal(...failOnNames),
          "exit with code 3 on these conditions, separated by commas; see dubwright help commands"
        ),
        []
      ),
      html: text("html", "FILE", "also write the plan as a self-contained HTML page"),
      speakers: flag("speakers", "print only a voice map to fill in, as YAML, or complete the cast file"),
      json: Flags.json,
      ...Flags.loudness
    },
    async () => (await import("../commands/PlanCommand.ts")).planCommand
  ),
  command(
    "status",
    "Show finished, in-flight, failed and remaining work, also during a run",
    standing,
    async () => (await import("../commands/StateCommands.ts")).statusCommand
  ),
  command(
    "retry",
    "Retry failed lines, then run the batch",
    { ...standing, ...Flags.speaking, ...Flags.fleet },
    async () => (await import("../commands/RunCommand.ts")).retryCommand
  ),
  command(
    "clean",
    "Delete clips that no manifest needs",
    {
      ...standing,
      olderThan: maybe(
        checked(
          "older-than",
          "AGE",
          age,
          "an age such as 30d, 12h or 4w",
          "delete only clips unused for this long (30d, 12h, 4w)"
        )
      ),
      remote: flag("remote", "also delete this batch's finished tasks on the service")
    },
    async () => (await import("../commands/StateCommands.ts")).cleanCommand
  ),
  command(
    "verify",
    "Compare the delivered audio with report.json, cue by cue; with --profile, check files against a delivery profile",
    {
      ...standing,
      inputs: verified,
      profile: text(
        "profile",
        "NAME",
        `check audio and video files against a delivery profile: ${profileNames.join(", ")}, or a file`
      ),
      film: text("film", "FILE", "with --profile: the film whose length the files must have")
    },
    async () => (await import("../commands/VerifyCommand.ts")).verifyCommand
  ),
  command(
    "review",
    "Edit single cues in a browser: change, listen, accept (prints `review URL`)",
    {
      ...onManifest,
      inputs: reviewed,
      port: Flags.port(0, "port on loopback; default: a free one"),
      reviewer: text("as", "NAME", "your name in approvals; default: the login name")
    },
    async () => (await import("../review/ReviewCommand.ts")).reviewCommand
  ),
  command(
    "export-lines",
    "Write the lines that do not fit to a spreadsheet, for a translator to shorten",
    {
      ...onManifest,
      inputs: reviewed,
      to: withDefault(text("to", "FILE", "a .csv or .xlsx file; default: lines.csv"), "lines.csv"),
      proposals: flag("proposals", "fill in the rewriter's proposals as new texts, for you to check")
    },
    async () => (await import("../commands/LineListCommands.ts")).exportLinesCommand
  ),
  command(
    "import-lines",
    "Check an edited list of export-lines, and save its new texts as overrides",
    {
      ...onManifest,
      inputs: reviewed,
      from: withDefault(text("from", "FILE", "the edited list; default: lines.csv"), "lines.csv"),
      long: flag("long", "also accept texts that are still too long")
    },
    async () => (await import("../commands/LineListCommands.ts")).importLinesCommand
  )
] as const
