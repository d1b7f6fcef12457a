/** The `doctor` command: checks everything a run needs and prints how to fix each problem. */
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { dialectOf } from "../../domain/manifest/ServiceDialect.ts"
import { inputText } from "../../pipeline/load/InputFile.ts"
import { readManifest } from "../../pipeline/load/ManifestFile.ts"
import { type Check, ffmpegCheck, folderCheck, nodeCheck } from "./DoctorChecks.ts"
import { CommandEnded, exitCodes } from "../ExitCodes.ts"
import { Screen } from "../terminal/Screen.ts"
import { serviceChecks } from "./ServiceChecks.ts"
import { programsIn } from "../batch/BatchInput.ts"
import { readingFrom, type ServiceFlags } from "../layers/GatewayLayer.ts"
import { type ProbeOptions, probeService } from "./ServiceProbe.ts"

export interface DoctorOptions extends ProbeOptions {
  readonly baseUrl: string | undefined
  readonly embedded: boolean
  readonly state: string | undefined
  readonly json: boolean
  /** Whether to create a task, to see how the service answers. */
  readonly probe: boolean
}

export const doctorCommand = Effect.fn("DoctorCommand.doctorCommand")(function* (options: DoctorOptions) {
  const screen = yield* Screen
  const { manifest: file } = options
  const manifest =
    file === undefined
      ? undefined
      : yield* Effect.flatMap(inputText(file, file), (text) => readManifest(text, file))
  const named = typeof manifest?.service === "object" ? manifest.service : undefined
  const flags: ServiceFlags = {
    baseUrl: options.baseUrl ?? named?.baseUrl,
    embedded: options.embedded || (options.baseUrl === undefined && manifest?.service === "embedded"),
    dialect: dialectOf(named?.dialect, named?.body)
  }
  const checks: Array<Check> = []
  /** Prints each finding at once. */
  const found = (some: ReadonlyArray<Check>) => {
    checks.push(...some)
    return options.json ? Effect.void : Effect.forEach(some, (check) => screen.result(textOf(check)))
  }
  yield* found([nodeCheck(process.versions.node)])
  yield* found([yield* ffmpegCheck])
  yield* found([yield* folderCheck(options.state ?? join(dirname(file ?? ""), ".dubwright"))])
  const jobs = manifest?.jobs.map((job) => ({ ...manifest.defaults, ...job })) ?? []
  const programs = [...programsIn({ jobs, notify: manifest?.notify })]
  yield* found(programs.map((one) => ({ name: "Program", state: "well", found: `a run starts ${one}` })))
  yield* found(yield* serviceChecks(flags))
  const isUnusable = checks.some(({ state }) => state === "wrong")
  if (options.probe && !isUnusable)
    yield* found(yield* Effect.provide(probeService(options, manifest), readingFrom(flags)))
  if (options.json) yield* screen.result(JSON.stringify(checks, null, 2))
  if (checks.some(({ state }) => state === "wrong"))
    return yield* new CommandEnded({ code: isUnusable ? exitCodes.unusable : exitCodes.failed, message: "" })
})

const marks = {
  well: "\u001b[32m✓\u001b[0m",
  warning: "\u001b[33m!\u001b[0m",
  wrong: "\u001b[31m✗\u001b[0m"
} as const

const textOf = ({ name, state, found, remedy }: Check): string =>
  `${marks[state]} ${name.padEnd(13)} ${found}${remedy === undefined ? "" : `\n  ${" ".repeat(13)} → ${remedy}`}`
