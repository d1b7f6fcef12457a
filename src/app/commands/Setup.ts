/** Commands for setting out: what is missing, a manifest to start from, its schema. */
import { Args, Command } from "@effect/cli"
import * as Flags from "../Flags.ts"
import { lazily } from "../Lazily.ts"
import { shapeOf } from "../Usage.ts"

const doctor = Command.make(
  "doctor",
  { ...Flags.service, state: Flags.folders.state, json: Flags.json, ...Flags.loudness },
  lazily(
    () => import("../DoctorCommand.ts"),
    ({ doctor }) => doctor
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
    ...Flags.service,
    force: Flags.flag("force", "Replace a manifest that is there already.")
  },
  lazily(
    () => import("../InitCommand.ts"),
    ({ init }) => init
  )
).pipe(
  Command.withDescription("Writes a commented manifest to start from, made from the subtitles it finds.")
)

const schema = Command.make(
  "schema",
  {},
  lazily(
    () => import("../SchemaCommand.ts"),
    ({ schema }) =>
      () =>
        schema
  )
).pipe(Command.withDescription("Prints the manifest's JSON Schema, for editors and checks."))

export const setupCommands = [doctor, init, schema] as const
export const setupShapes = [shapeOf(doctor), shapeOf(init), shapeOf(schema)]
