/** Text of a launchd agent (macOS) and a Task Scheduler task (Windows) that run a batch every night. */
import { dirname } from "node:path"
import { xmlElement } from "../../exports/text/Xml.ts"
import { clockText } from "../batch/Deadline.ts"
import { type Nightly, runWords, shellCommand } from "./Schedule.ts"

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
