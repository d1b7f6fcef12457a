/** Notifications at the end of a run (manifest key `notify`). Failures are only printed as warnings. */
import { spawn } from "node:child_process"
import { dirname, resolve } from "node:path"
import { HttpClient, type HttpClientError, HttpClientRequest } from "@effect/platform"
import { Duration, Effect, Either, Schedule } from "effect"
import type { NotifySettings } from "../../domain/manifest/ServiceSettings.ts"
import type { RunReport } from "../../domain/report/Report.ts"
import { httpClient } from "../../gateway/exchange/HttpTransport.ts"
import { ownSystem, programStart } from "../../system/ProgramSearch.ts"
import { environmentOfPrograms } from "../layers/SecretVariables.ts"
import { addressOf, UnsetAddress } from "./NotificationAddress.ts"
import { Screen } from "../terminal/Screen.ts"

/** Timeout of the command. */
const programWithin = Duration.minutes(2)

/** Timeout of each webhook request. */
const answerWithin = Duration.seconds(20)

/** Runs the manifest's command and posts to its webhook, each with run.json; `manifest` is its path. */
export const notifyRunEnd = Effect.fn("Notification.notifyRunEnd")(function* (
  { command, webhook }: NotifySettings,
  manifest: string,
  report: RunReport
) {
  const screen = yield* Screen
  const body = `${JSON.stringify(report, undefined, 2)}\n`
  const telling = [
    ...(command === undefined
      ? []
      : [{ name: `notify.command ${command[0]}`, work: started(command, manifest, body) }]),
    ...(webhook === undefined ? [] : [{ name: "notify.webhook", work: posted(webhook, body) }])
  ]
  yield* Effect.forEach(
    telling,
    ({ name, work }) => Effect.catchAll(work, ({ why }) => screen.say(`warning: ${name}: ${why}`)),
    { discard: true }
  )
}, Effect.provide(httpClient))

const started = (command: readonly [string, ...ReadonlyArray<string>], manifest: string, input: string) =>
  Effect.async<void, UnsetAddress>((resume) => {
    const env = environmentOfPrograms(process.env)
    // Its output goes to stderr: stdout is for results.
    const [name, ...words] = command
    const cwd = dirname(resolve(manifest))
    const failed = (why: string) => resume(Effect.fail(new UnsetAddress({ why })))
    const start = programStart(name, words, ownSystem(env), cwd)
    if (Either.isLeft(start)) return failed(`cannot be started: ${start.left}`)
    const { file, args, windowsVerbatimArguments } = start.right
    const child = spawn(file, args, {
      windowsVerbatimArguments,
      cwd,
      env,
      stdio: ["pipe", process.stderr, process.stderr],
      windowsHide: true
    })
    child.once("error", (cause) => failed(`cannot be started: ${cause.message}`))
    child.once("close", (code, signal) => {
      if (code === 0) resume(Effect.void)
      else failed(code === null ? `killed by ${signal}` : `exited with code ${code}`)
    })
    // The program may exit without reading stdin.
    child.stdin?.on("error", () => {})
    child.stdin?.end(input)
    return Effect.sync(() => child.kill("SIGKILL"))
  }).pipe(
    Effect.timeoutFail({
      duration: programWithin,
      onTimeout: () => new UnsetAddress({ why: `still running after ${Duration.format(programWithin)}` })
    })
  )

const posted = Effect.fnUntraced(function* (webhook: string, body: string) {
  const address = yield* addressOf(webhook)
  // The URL may hold a secret: messages show only its host.
  const { host } = new URL(address)
  const client = HttpClient.filterStatusOk(yield* HttpClient.HttpClient)
  yield* client
    .execute(HttpClientRequest.bodyText(HttpClientRequest.post(address), body, "application/json"))
    .pipe(
      Effect.scoped,
      Effect.timeout(answerWithin),
      Effect.retry({ times: 2, schedule: Schedule.exponential("1 second"), while: mayPass }),
      Effect.catchTags({
        RequestError: () => new UnsetAddress({ why: `${host} is unreachable` }),
        ResponseError: ({ response }) =>
          new UnsetAddress({ why: `${host} returned status ${response.status}` }),
        TimeoutException: () =>
          new UnsetAddress({ why: `${host} did not respond within ${Duration.format(answerWithin)}` })
      }),
      // Tracing would record the URL.
      Effect.withTracerEnabled(false)
    )
})

/** Whether a retry may succeed. */
const mayPass = (fault: HttpClientError.HttpClientError | { readonly _tag: "TimeoutException" }): boolean =>
  fault._tag !== "ResponseError" || fault.response.status >= 500 || fault.response.status === 429
