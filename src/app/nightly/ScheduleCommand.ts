/** The `schedule` command: prints the configuration with which a system starts a run every night. */
import { existsSync, realpathSync } from "node:fs"
import { dirname, join, parse, resolve } from "node:path"
import { Effect } from "effect"
import { type TimeOfDay, clockText } from "../batch/Deadline.ts"
import { homeFolder } from "../../system/UserFolders.ts"
import { badUsage } from "../ExitCodes.ts"
import {
  cronLine,
  type Nightly,
  type scheduleKinds,
  serviceUnit,
  timerUnit,
  runWords,
  shellCommand
} from "./Schedule.ts"
import { Screen } from "../terminal/Screen.ts"
import { xmlElement } from "../../exports/text/Xml.ts"

export interface ScheduleOptions {
  readonly manifest: string
  readonly at: TimeOfDay
  readonly deadline: TimeOfDay | undefined
  readonly kind: (typeof scheduleKinds)[number] | undefined
}

export const scheduleCommand = Effect.fn("ScheduleCommand.scheduleCommand")(function* (
  options: ScheduleOptions
) {
  const screen = yield* Screen
  const manifest = resolve(options.manifest)
  if (!existsSync(manifest)) return yield* badUsage(`${options.manifest}: no such file; check the path`)
  const home = homeFolder()
  if (home === undefined) return yield* badUsage("your user has no home folder for schedules; set HOME")
  const own = parse(manifest)
    .name.replaceAll(/[^\w.-]+/gu, "-")
    .replace(/-+$/u, "")
  const name = own.startsWith("dubwright") ? own : `dubwright-${own}`
  const nightly: Nightly = {
    name,
    node: process.execPath,
    command: realpathSync(process.argv[1] ?? ""),
    manifest,
    at: options.at,
    deadline: options.deadline,
    environment: join(home, ".config/dubwright/environment")
  }
  const log = join(home, `.local/state/dubwright/${name}.log`)
  const { kind } = options
  yield* screen.result(
    kind === undefined ? everythingFor(process.platform, nightly, log) : parts[kind](nightly, log)
  )
})

const parts: Readonly<Record<(typeof scheduleKinds)[number], (nightly: Nightly, log: string) => string>> = {
  service: serviceUnit,
  timer: timerUnit,
  cron: cronLine,
  launchd: (nightly, log) => launchAgent(nightly, log),
  windows: (nightly, log) => windowsTask(nightly, log)
}

/** All that a platform needs, with the commands that install it. */
export const everythingFor = (platform: NodeJS.Platform, nightly: Nightly, log: string): string => {
  const { name, environment } = nightly
  switch (platform) {
    case "darwin":
      return [
        launchAgent(nightly, log),
        `Save it as ~/Library/LaunchAgents/${name}.plist (--kind launchd prints only it), then:`,
        `launchctl bootstrap gui/$UID ~/Library/LaunchAgents/${name}.plist`,
        `Put the key into ${environment} as DUBWRIGHT_API_KEY=…, readable only by you (chmod 600).`
      ].join("\n")
    case "win32":
      return [
        windowsTask(nightly, log),
        `Save it as ${name}.xml (--kind windows prints only it), then:`,
        `schtasks /Create /TN ${name} /XML ${name}.xml`,
        "Set the key for your account: setx DUBWRIGHT_API_KEY …"
      ].join("\n")
    default:
      return unixText(nightly, log)
  }
}

const unixText = (nightly: Nightly, log: string): string => {
  const { name, environment } = nightly
  const units = join(dirname(dirname(environment)), "systemd/user")
  return [
    `# ${units}/${name}.service   (--kind service prints only this)`,
    serviceUnit(nightly),
    `# ${units}/${name}.timer   (--kind timer prints only this)`,
    timerUnit(nightly),
    "# Then: systemctl --user daemon-reload",
    `#       systemctl --user enable --now ${name}.timer`,
    "#       loginctl enable-linger            lets it run while you are logged out",
    `#       journalctl --user -u ${name}      shows its log`,
    "",
    "# Or with cron instead (crontab -e; --kind cron prints only this):",
    cronLine(nightly, log),
    "",
    `# Put the key into ${environment} as DUBWRIGHT_API_KEY=…, readable only by you (chmod 600).`
  ].join("\n")
}

/**
 * A launchd agent: every night, and after waking up if the machine slept. Format: the manual pages launchd.plist(5) and
 * plist(5) of macOS.
 */
export const launchAgent = (nightly: Nightly, log: string): string => {
  const { name, manifest, at } = nightly
  const text = (value: string) => `<string>${escaped(value)}</string>`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    "<dict>",
    `  <key>Label</key>${text(name)}`,
    `  <key>ProgramArguments</key><array>${["/bin/sh", "-c", shellCommand(nightly, log)].map(text).join("")}</array>`,
    `  <key>WorkingDirectory</key>${text(dirname(manifest))}`,
    `  <key>StartCalendarInterval</key><dict><key>Hour</key><integer>${at.hours}</integer><key>Minute</key><integer>${at.minutes}</integer></dict>`,
    "  <key>ProcessType</key><string>Background</string>",
    "</dict>",
    "</plist>",
    ""
  ].join("\n")
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/**
 * A task for `schtasks /Create /XML`: every night, or as soon as possible after a missed start. A second start is
 * ignored while one runs. Format: https://learn.microsoft.com/windows/win32/taskschd/task-scheduler-schema
 */
export const windowsTask = (nightly: Nightly, log: string): string => {
  const [program = "", ...words] = runWords(nightly)
  const task = xmlElement("Task", {
    "@version": "1.2",
    "@xmlns": "http://schemas.microsoft.com/windows/2004/02/mit/task",
    Triggers: {
      CalendarTrigger: {
        StartBoundary: `2026-01-01T${clockText(nightly.at)}:00`,
        ScheduleByDay: { DaysInterval: "1" }
      }
    },
    Settings: {
      MultipleInstancesPolicy: "IgnoreNew",
      DisallowStartIfOnBatteries: "false",
      StartWhenAvailable: "true",
      ExecutionTimeLimit: "PT0S",
      Priority: "7"
    },
    Actions: {
      Exec: {
        Command: program,
        Arguments: [...words, "--quiet", "--log", log].map(windowsWord).join(" "),
        WorkingDirectory: dirname(nightly.manifest)
      }
    }
  })
  // Windows PowerShell saves output as UTF-16, other shells as UTF-8; readers detect both if no encoding is named.
  return task.replace(' encoding="UTF-8"', "")
}

/**
 * Quotes a word of a Windows command line: backslashes count only before a quote
 * (https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments).
 */
export const windowsWord = (word: string): string =>
  /^[^\s"]+$/u.test(word) ? word : `"${word.replaceAll(/(\\*)"/gu, '$1$1\\"').replace(/(\\+)$/u, "$1$1")}"`
