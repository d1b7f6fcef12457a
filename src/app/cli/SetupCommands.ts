/** Command definitions for setup: demo, doctor, init, schedule, schema. */
import { Args, Command, Options } from "@effect/cli"
import { Option } from "effect"
import * as Flags from "./Flags.ts"
import * as OptionKinds from "./OptionKinds.ts"
import { filmSounds } from "../init/FilmSound.ts"
import { scheduleKinds } from "../nightly/Schedule.ts"
import { lazyCommand } from "./LazyCommand.ts"

const doctor = Command.make(
  "doctor",
  {
    manifest: Args.text({ name: "manifest" }).pipe(
      Args.withDescription("check this manifest's service"),
      Args.optional,
      Args.map(Option.getOrUndefined)
    ),
    ...Flags.service,
    probe: OptionKinds.flag(
      "probe",
      "create one short task, which may cost credits, and print how the service answers, as a dialect"
    ),
    ...Flags.probed,
    yes: OptionKinds.flag("yes", "with --probe: create the task without asking"),
    state: Flags.stateHere,
    json: Flags.json,
    ...Flags.loudness
  },
  lazyCommand(async () => (await import("../doctor/DoctorCommand.ts")).doctorCommand)
).pipe(
  Command.withDescription("Check Node, ffmpeg, the state folder, the service and the key; suggest fixes")
)

const init = Command.make(
  "init",
  {
    folder: Args.text({ name: "dir" }).pipe(
      Args.withDescription("folder with the subtitles, where the manifest is written; default: here"),
      Args.withDefault(".")
    ),
    ...Flags.namedService,
    language: Flags.language,
    sound: Options.choice("sound", filmSounds).pipe(
      Options.withDescription(
        "film audio under the voices: none (default), lowered, or kept (music and effects)"
      ),
      Options.optional,
      Options.map(Option.getOrUndefined)
    ),
    ownLanguage: OptionKinds.flag("own-language", "also propose jobs in the film's own language"),
    yes: OptionKinds.flag("yes", "ask no questions; use the defaults"),
    force: OptionKinds.flag("force", "replace an existing manifest instead of adding to it")
  },
  lazyCommand(async () => (await import("../init/InitCommand.ts")).initCommand)
).pipe(
  Command.withDescription(
    "Write a manifest for a folder of subtitles, or add jobs for new subtitles to an existing one"
  )
)

const schedule = Command.make(
  "schedule",
  {
    manifest: Args.text({ name: "manifest" }).pipe(Args.withDescription("the manifest to run every night")),
    at: Options.map(
      Flags.timeOfDayFlag("at", "start time; default: 01:00"),
      (at) => at ?? { hours: 1, minutes: 0 }
    ),
    deadline: Flags.timeOfDayFlag(
      "deadline",
      "at this time of day, the run stops starting new work; default: none"
    ),
    kind: Options.choice("kind", scheduleKinds).pipe(
      Options.withDescription("print only this part; default: all, with install instructions"),
      Options.optional,
      Options.map(Option.getOrUndefined)
    )
  },
  lazyCommand(async () => (await import("../nightly/ScheduleCommand.ts")).scheduleCommand)
).pipe(
  Command.withDescription("Print a nightly schedule for a batch: systemd, cron, launchd or Task Scheduler")
)

const schema = Command.make(
  "schema",
  {},
  lazyCommand(async () => (await import("../commands/SchemaCommand.ts")).schemaCommand)
).pipe(Command.withDescription("Print the manifest's JSON Schema, for editors and validators"))

const demo = Command.make(
  "demo",
  { json: Flags.json, ...Flags.loudness },
  lazyCommand(async () => (await import("../commands/DemoCommand.ts")).demoCommand)
).pipe(Command.withDescription("Dub a short scene in a temporary folder; needs no account and no network"))

export const setupCommands = [demo, doctor, init, schedule, schema] as const
