/** The `doctor` command: checks everything a run needs and prints how to fix each problem. */
import { dirname, join } from "node:path"
import { Effect, Option } from "effect"
import { dialectOf } from "../../domain/manifest/ServiceDialect.ts"
import { inputText } from "../../pipeline/load/InputFile.ts"
import { readManifest } from "../../pipeline/load/ManifestFile.ts"
import { type Check, ffmpegCheck, folderCheck, nodeCheck, warning, well, wrong } from "./DoctorChecks.ts"
import { CommandEnded, exitCodes } from "../ExitCodes.ts"
import { Screen } from "../terminal/Screen.ts"
import { programsIn } from "../batch/BatchInput.ts"
import { readingFrom, type ServiceFlags, chosenService } from "../layers/GatewayLayer.ts"
import { type ProbeOptions, probeService } from "./ServiceProbe.ts"
import { NoFfmpeg } from "../../ffmpeg/process/FfmpegErrors.ts"
import { InvalidResponse, Refused } from "../../gateway/GatewayErrors.ts"
import { Gateway } from "../../gateway/Gateway.ts"
import { environmentKey } from "../layers/Environment.ts"

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
  yield* found(programs.map((one) => well("Program", `a run starts ${one}`)))
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

// Service checks of `doctor`: whether the service responds, and whether it accepts the key.

/** Runs the checks of the service and the key. */
const serviceChecks = (options: ServiceFlags) =>
  Effect.gen(function* () {
    const service = yield* chosenService(options)
    const key = yield* environmentKey
    const name = service === "embedded" ? "bundled service" : service.baseUrl
    if (service !== "embedded" && Option.isNone(key))
      return [
        warning("Service", `${name}: not checked without a key`),
        wrong("Key", "DUBWRIGHT_API_KEY is not set", "export DUBWRIGHT_API_KEY=… with the service's key")
      ]
    return yield* asked(name, service === "embedded").pipe(
      Effect.provide(readingFrom(options)),
      Effect.catchAll((failure) =>
        Effect.succeed([
          failure instanceof NoFfmpeg
            ? warning("Service", `${name}: not started, because it needs ffmpeg`)
            : unwell(name, failure)
        ])
      )
    )
  })

const asked = (name: string, bundled: boolean) =>
  Effect.gen(function* () {
    const { ping, reads } = yield* Gateway
    // Ping first: it fails fast if the service is unreachable, while reads retry.
    const service = yield* within(name, Effect.zipRight(ping, reads.health)).pipe(
      Effect.map(({ status, version, providers }) => {
        const idle = providers.flatMap(({ ready, provider, reason }) =>
          ready ? [] : [`${provider} (${reason ?? "no reason given"})`]
        )
        const found = `${name}: ${status}${version === "" ? "" : `, version ${version}`}`
        const remedy = "use another provider, or fix that engine in the service's settings"
        return idle.length === 0
          ? well("Service", found)
          : warning("Service", `${found}; not ready: ${idle.join(", ")}`, remedy)
      }),
      // A service that rejects the key responds, so it is up.
      Effect.catchIf(
        (failure) => failure instanceof Refused,
        () => Effect.succeed(well("Service", `${name}: responds`))
      ),
      Effect.catchAll((failure) => Effect.succeed(unwell(name, failure)))
    )
    if (bundled) return [service, well("Key", "not needed by the bundled service")]
    if (service.state === "wrong")
      return [service, warning("Key", "not checked: the service does not respond")]
    const key = yield* within(name, reads.credits).pipe(
      Effect.map(({ credits, unlimited }) =>
        well("Key", `accepted; credits: ${unlimited ? "no limit" : String(credits ?? "unknown")}`)
      ),
      Effect.catchAll(({ message }) =>
        Effect.succeed(
          wrong(
            "Key",
            message,
            "check that DUBWRIGHT_API_KEY is this service's key (not a login of its web tool)"
          )
        )
      )
    )
    return [service, key]
  })

/** Limits an effect to 8 s, less than a run would wait. After 300 ms, prints that it is waiting for `name`. */
const within = <A, E, R>(name: string, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const waiting = screen.say(`  waiting for ${name}, up to 8 seconds`)
    yield* Effect.forkScoped(Effect.delay(waiting, "300 millis"))
    return yield* Effect.timeoutFail(effect, {
      duration: "8 seconds",
      onTimeout: () => new InvalidResponse({ words: "no response within 8 seconds" })
    })
  }).pipe(Effect.scoped)

const unwell = (name: string, { message }: { readonly message: string }): Check =>
  wrong(
    "Service",
    `${name}: ${message}`,
    "check the URL (--base-url, DUBWRIGHT_BASE_URL) and that the service is running; --embedded uses the bundled one"
  )
