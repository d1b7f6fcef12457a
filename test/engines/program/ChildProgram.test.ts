import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { runProgram } from "../../../src/engines/program/ChildProgram.ts"
import { withoutDescriptors } from "../../system/Descriptors.ts"

it.live.skipIf(process.platform === "win32")("a program is busy while no file descriptor is free", () =>
  Effect.gen(function* () {
    const program = {
      file: process.execPath,
      args: [],
      env: {},
      cwd: process.cwd(),
      stdin: "",
      maxBytes: 1,
      timeout: "10 seconds"
    } as const
    const failed = yield* Effect.flip(withoutDescriptors(runProgram(program)))
    expect({ ...failed }).toMatchObject({ reason: "busy", detail: "EMFILE" })
  })
)
