/** Command definitions for setup: demo, doctor, init, schedule, schema. */
import { Args } from "@effect/cli"
import { Option } from "effect"
import { filmSounds } from "../init/FilmSound.ts"
import { scheduleKinds } from "../nightly/Schedule.ts"
import * as Flags from "./Flags.ts"
import { argument, choice, command, flag, withDefault, text } from "./OptionKinds.ts"

const doctor = command(
  "doctor",
  "Check Node, ffmpeg, the state folder, the service and the key; suggest fixes",
  {
    manifest: argument("manifest", "check this manifest's service").pipe(
      Args.optional,
      Args.map(Option.getOrUndefined)
    ),
    ...Flags.service,
    probe: flag(
      "probe",
      "create one short task, which may cost credits, and print how the service answers, as a dialect"
    ),
    ...Flags.casting("of the probe's task; default: the manifest's, then the service's first"),
    yes: flag("yes", "with --probe: create the task without asking"),
    state: text("state", "DIR", "state folder; default: .dubwright in the current folder"),
    json: Flags.json,
    ...Flags.loudness
  },
  async () => (await import("../doctor/DoctorCommand.ts")).doctorCommand
)

const init = command(
  "init",
  "Write a manifest for a folder of subtitles, or add jobs for new subtitles to an existing one",
  {
    folder: argument("dir", "folder with the subtitles, where the manifest is written; default: here").pipe(
      Args.withDefault(".")
    ),
    baseUrl: Flags.serviceAddress("write this service URL into the manifest"),
    embedded: flag("embedded", "write the bundled service into the manifest; default without a terminal"),
    language: Flags.language,
    sound: choice(
      "sound",
      filmSounds,
      "film audio under the voices: none (default), lowered, or kept (music and effects)"
    ),
    ownLanguage: flag("own-language", "also propose jobs in the film's own language"),
    yes: flag("yes", "ask no questions; use the defaults"),
    force: flag("force", "replace an existing manifest instead of adding to it")
  },
  async () => (await import("../init/InitCommand.ts")).initCommand
)

const schedule = command(
  "schedule",
  "Print a nightly schedule for a batch: systemd, cron, launchd or Task Scheduler",
  {
    manifest: argument("manifest", "the manifest to run every night"),
    at: withDefault(Flags.timeOfDay("at", "start time; default: 01:00"), { hours: 1, minutes: 0 }),
    deadline: Flags.timeOfDay(
      "deadline",
      "at this time of day, the run stops starting new work; default: none"
    ),
    kind: choice("kind", scheduleKinds, "print only this part; default: all, with install instructions")
  },
  async () => (await import("../nightly/ScheduleCommand.ts")).scheduleCommand
)

const schema = command(
  "schema",
  "Print the manifest's JSON Schema, for editors and validators",
  {},
  async () => (await import("../commands/SchemaCommand.ts")).schemaCommand
)

const demo = command(
  "demo",
  "Dub a short scene in a temporary folder; needs no account and no network",
  { json: Flags.json, ...Flags.loudness },
  async () => (await import("../commands/DemoCommand.ts")).demoCommand
)

export const setupCommands = [demo, doctor, init, schedule, schema] as const
