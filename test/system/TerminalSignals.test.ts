/** The signals that stop a command on each platform. */
import { expect, test } from "vitest"
import { terminalSignals } from "../../src/system/TerminalSignals.ts"

test("closing the terminal and Ctrl+Break stop a command; nohup keeps it", () => {
  expect(terminalSignals("linux", true)).toEqual([{ signal: "SIGHUP", as: "SIGTERM" }])
  expect(terminalSignals("darwin", false)).toEqual([{ signal: "SIGHUP", as: undefined }])
  expect(terminalSignals("win32", false)).toEqual([
    { signal: "SIGHUP", as: "SIGTERM" },
    { signal: "SIGBREAK", as: "SIGINT" }
  ])
})
