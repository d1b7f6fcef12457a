/** The signals that ask a program to stop, besides SIGINT (Ctrl+C) and SIGTERM. */

/** A signal, and its equivalent; undefined if it is ignored. */
export interface TerminalSignal {
  readonly signal: NodeJS.Signals
  readonly as: "SIGINT" | "SIGTERM" | undefined
}

/**
 * Closing the terminal stops a command. Without a terminal (nohup, cron), SIGHUP is ignored. Windows sends SIGHUP when
 * the console closes, and ends the process some seconds later; Ctrl+Break is SIGBREAK there:
 * https://nodejs.org/api/process.html#signal-events
 */
export const terminalSignals = (
  platform: NodeJS.Platform,
  onTerminal: boolean
): ReadonlyArray<TerminalSignal> =>
  platform === "win32"
    ? [
        { signal: "SIGHUP", as: "SIGTERM" },
        { signal: "SIGBREAK", as: "SIGINT" }
      ]
    : [{ signal: "SIGHUP", as: onTerminal ? "SIGTERM" : undefined }]
