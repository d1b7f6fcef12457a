/** Text of systemd units and a crontab line that run a batch every night, with the paths of this machine. */
import { dirname } from "node:path"
import type { TimeOfDay } from "../batch/Deadline.ts"
import { clockText } from "../batch/Deadline.ts"

/** Values of `schedule --kind`. */
export const scheduleKinds = ["service", "timer", "cron", "launchd", "windows"] as const

/** A nightly run. Paths are absolute. */
export interface Nightly {
  /** The unit's name without its ending. */
  readonly name: string
  readonly node: string
  readonly command: string
  readonly manifest: string
  readonly at: TimeOfDay
  readonly deadline: TimeOfDay | undefined
  /** File with DUBWRIGHT_API_KEY and other variables, one per line. */
  readonly environment: string
}

/** The command line of the run. */
export const runWords = ({ node, command, manifest, deadline }: Nightly): ReadonlyArray<string> => [
  node,
  command,
  "run",
  manifest,
  ...(deadline === undefined ? [] : ["--deadline", clockText(deadline)])
]

/** The systemd service unit: one run, logged and rotated by the journal. */
export const serviceUnit = (nightly: Nightly): string =>
  [
    "[Unit]",
    `Description=dubwright: ${nightly.name}`,
    "",
    "[Service]",
    "Type=oneshot",
    `WorkingDirectory=${unitText(dirname(nightly.manifest))}`,
    `EnvironmentFile=-${unitText(nightly.environment)}`,
    `ExecStart=${runWords(nightly).map(unitWord).join(" ")}`,
    "# A run that is stopped (SIGTERM) has saved its state and resumes the next night.",
    "SuccessExitStatus=143",
    "TimeoutStopSec=2min",
    "Nice=10",
    "IOSchedulingClass=idle",
    ""
  ].join("\n")

/** The systemd timer unit: every night; a start missed while the machine was off is caught up. */
export const timerUnit = ({ name, at }: Nightly): string =>
  [
    "[Unit]",
    `Description=dubwright: ${name}, every night`,
    "",
    "[Timer]",
    `OnCalendar=*-*-* ${clockText(at)}:00`,
    "Persistent=true",
    "",
    "[Install]",
    "WantedBy=timers.target",
    ""
  ].join("\n")

/** A crontab line; the run itself writes and rotates its log. */
export const cronLine = (nightly: Nightly, log: string): string => {
  const { minutes, hours } = nightly.at
  // An unescaped percent sign in a crontab is a line break.
  return `${minutes} ${hours} * * * ${shellCommand(nightly, log)}`.replaceAll("%", String.raw`\%`)
}

/** The run as a command of a POSIX shell, with the variables of the environment file. */
export const shellCommand = (nightly: Nightly, log: string): string => {
  const settings = shellWord(nightly.environment)
  const run = [...runWords(nightly), "--quiet", "--log", log].map(shellWord).join(" ")
  return `cd ${shellWord(dirname(nightly.manifest))} && { set -a; [ ! -f ${settings} ] || . ${settings}; set +a; exec ${run}; }`
}

/** Escapes a path for a unit file, where `%` starts a specifier. */
const unitText = (text: string): string => text.replaceAll("%", "%%")

/** Quotes a word of a command line for a unit file. */
const unitWord = (text: string): string => {
  const plain = unitText(text).replaceAll("$", "$$$$")
  return /^[\w./:@%$=+-]+$/u.test(plain)
    ? plain
    : `"${plain.replaceAll("\\", "\\\\").replaceAll('"', String.raw`\"`)}"`
}

/** Quotes a word for a POSIX shell. */
export const shellWord = (text: string): string =>
  /^[\w./:@=+-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
