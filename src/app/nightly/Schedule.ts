/** What starts a batch every night: systemd's service and timer, or a line for cron, with the paths of this machine. */
import { dirname } from "node:path"
import type { TimeOfDay } from "../batch/Deadline.ts"
import { clockText } from "../batch/Deadline.ts"

/** What can be printed alone. */
export const scheduleKinds = ["service", "timer", "cron"] as const

/** What is to be started, and when. Paths are absolute. */
export interface Nightly {
  /** The unit's name without its ending. */
  readonly name: string
  readonly node: string
  readonly command: string
  readonly manifest: string
  readonly at: TimeOfDay
  readonly deadline: TimeOfDay | undefined
  /** The file that holds DUBWRIGHT_API_KEY and other settings, a line each. */
  readonly environment: string
}

/** The words of the run. */
const words = ({ node, command, manifest, deadline }: Nightly): ReadonlyArray<string> => [
  node,
  command,
  "run",
  manifest,
  ...(deadline === undefined ? [] : ["--deadline", clockText(deadline)])
]

/** The service's unit: one run, which systemd's own journal logs and rotates. */
export const serviceUnit = (nightly: Nightly): string =>
  [
    "[Unit]",
    `Description=dubwright: ${nightly.name}`,
    "",
    "[Service]",
    "Type=oneshot",
    `WorkingDirectory=${unitText(dirname(nightly.manifest))}`,
    `EnvironmentFile=-${unitText(nightly.environment)}`,
    `ExecStart=${words(nightly).map(unitWord).join(" ")}`,
    "# Stopped before its end, it has saved its state and goes on the next night.",
    "SuccessExitStatus=143",
    "TimeoutStopSec=2min",
    "Nice=10",
    "IOSchedulingClass=idle",
    ""
  ].join("\n")

/** The timer's unit: every night, also after a night in which the machine was off. */
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

/** A line for a crontab; its log is kept and rotated by the run itself. */
export const cronLine = (nightly: Nightly, log: string): string => {
  const { minutes, hours } = nightly.at
  const settings = shellWord(nightly.environment)
  const run = [...words(nightly), "--quiet", "--log", log].map(shellWord).join(" ")
  // In a crontab a percent sign is a line break.
  return `${minutes} ${hours} * * * cd ${shellWord(dirname(nightly.manifest))} && { set -a; [ ! -f ${settings} ] || . ${settings}; set +a; exec ${run}; }`.replaceAll(
    "%",
    String.raw`\%`
  )
}

/** A path in a unit file: percent signs stand for themselves. */
const unitText = (text: string): string => text.replaceAll("%", "%%")

/** A word of a command line in a unit file. */
const unitWord = (text: string): string => {
  const plain = unitText(text).replaceAll("$", "$$$$")
  return /^[\w./:@%$=+-]+$/u.test(plain)
    ? plain
    : `"${plain.replaceAll("\\", "\\\\").replaceAll('"', String.raw`\"`)}"`
}

/** A word as a shell takes it. */
export const shellWord = (text: string): string =>
  /^[\w./:@=+-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
