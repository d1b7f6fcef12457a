/** Commands for setting out: what is missing, a manifest to start from, its schema. */
import { Args, Command, Options } from "@effect/cli"
import { Option } from "effect"
import * as Flags from "./Flags.ts"
import * as OptionKinds from "./OptionKinds.ts"
import { filmSounds } from "../init/InitManifest.ts"
import { scheduleKinds } from "../nightly/Schedule.ts"
import { lazyCommand } from "./LazyCommand.ts"
import { shapeOf } from "./UsageCheck.ts"

const doctor = Command.make(
  "doctor",
  { ...Flags.service, state: Flags.stateHere, json: Flags.json, ...Flags.loudness },
  lazyCommand(
    () => import("../doctor/DoctorCommand.ts"),
    ({ doctorCommand }) => doctorCommand
  )
).pipe(
  Command.withDescription(
    "Checks Node, ffmpeg, the state folder, the service and the key, and says how to mend each."
  )
)

const init = Command.make(
  "init",
  {
    folder: Args.text({ name: "dir" }).pipe(
      Args.withDescription("Where the subtitles are and the manifest goes; default: here."),
      Args.withDefault(".")
    ),
    ...Flags.namedService,
    language: Flags.language,
    sound: Options.choice("sound", filmSounds).pipe(
      Options.withDescription(
        "What is heard beside the voices: nothing (voices, default), the film lowered, or its music and effects."
      ),
      Options.optional,
      Options.map(Option.getOrUndefined)
    ),
    ownLanguage: OptionKinds.flag(
      "own-language",
      "Also propose jobs in the language of the film's own sound."
    ),
    yes: OptionKinds.flag("yes", "Ask nothing, also on a terminal: take the defaults."),
    force: OptionKinds.flag("force", "Replace a manifest that is there instead of adding to it.")
  },
  lazyCommand(
    () => import("../init/InitCommand.ts"),
    ({ initCommand }) => initCommand
  )
).pipe(
  Command.withDescription(
    "Write a commented manifest from the subtitles in a folder, or add jobs for new ones to the manifest that is there; asks on a terminal."
  )
)

const schedule = Command.make(
  "schedule",
  {
    manifest: Args.text({ name: "manifest" }).pipe(Args.withDescription("The manifest to run every night.")),
    at: Options.map(
      Flags.timeOfDayFlag("at", "When it starts; default: 01:00."),
      (at) => at ?? { hours: 1, minutes: 0 }
    ),
    deadline: Flags.timeOfDayFlag("deadline", "The run's --deadline; default: none."),
    kind: Options.choice("kind", scheduleKinds).pipe(
      Options.withDescription(
        "Print only this: service, timer or cron; default: all, with how to install them."
      ),
      Options.optional,
      Options.map(Option.getOrUndefined)
    )
  },
  lazyCommand(
    () => import("../nightly/ScheduleCommand.ts"),
    ({ scheduleCommand }) => scheduleCommand
  )
).pipe(
  Command.withDescription(
    "Prints what starts a batch every night on this machine: systemd's service and timer, and a line for cron."
  )
)

const schema = Command.make(
  "schema",
  {},
  lazyCommand(
    () => import("../commands/SchemaCommand.ts"),
    ({ schemaCommand: schema }) =>
      () =>
        schema
  )
).pipe(Command.withDescription("Prints the manifest's JSON Schema, for editors and checks."))

export const setupCommands = [doctor, init, schedule, schema] as const
export const setupShapes = [shapeOf(doctor), shapeOf(init), shapeOf(schedule), shapeOf(schema)]
