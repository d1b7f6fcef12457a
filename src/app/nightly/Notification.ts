/** Tells whom the manifest names that a run has ended. What goes wrong with that is told, and changes nothing else. */
import { spawn } from "node:child_process"
import { dirname, resolve } from "node:path"
import { HttpClient, type HttpClientError, HttpClientRequest } from "@effect/platform"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Duration, Effect, Schedule } from "effect"
import type { NotifySettings } from "../../domain/manifest/ServiceSettings.ts"
import type { RunReport } from "../../domain/report/Report.ts"
import { addressOf, UnsetAddress } from "./NotificationAddress.ts"
import { Screen } from "../terminal/Screen.ts"

/** How long a program may take. */
const programWithin = Duration.minutes(2)

/** How long an address may take to answer, each time it is asked. */
const answerWithin = Duration.seconds(20)

/** Starts the program and posts to the address that the manifest names, each with run.json; `manifest` is its path. */
export const notifyRunEnd = Effect.fn("Notify.notify")(function* (
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
}, Effect.provide(NodeHttpClient.layerUndici))

const started = (command: readonly [string, ...ReadonlyArray<string>], manifest: string, input: string) =>
  Effect.async<void, UnsetAddress>((resume) => {
    const [file, ...args] = command
    // The key is for the service alone.
    const { DUBWRIGHT_API_KEY: _key, ...env } = process.env
    // What it says goes to stderr: stdout is for results.
    const child = spawn(file, args, {
      cwd: dirname(resolve(manifest)),
      env,
      stdio: ["pipe", process.stderr, process.stderr],
      windowsHide: true
    })
    const failed = (why: string) => resume(Effect.fail(new UnsetAddress({ why })))
    child.once("error", (cause) => failed(`it cannot be started: ${cause.message}`))
    child.once("close", (code, signal) => {
      if (code === 0) resume(Effect.void)
      else failed(code === null ? `it was ended by ${signal}` : `it ended with code ${code}`)
    })
    // A program may end without reading what it is told.
    child.stdin?.on("error", () => {})
    child.stdin?.end(input)
    return Effect.sync(() => child.kill("SIGKILL"))
  }).pipe(
    Effect.timeoutFail({
      duration: programWithin,
      onTimeout: () =>
        new UnsetAddress({ why: `it was still running after ${Duration.format(programWithin)}` })
    })
  )

const posted = Effect.fnUntraced(function* (webhook: string, body: string) {
  const address = yield* addressOf(webhook)
  // An address may hold a secret: only its host is told.
  const { host } = new URL(address)
  const client = HttpClient.filterStatusOk(yield* HttpClient.HttpClient)
  yield* client
    .execute(HttpClientRequest.bodyText(HttpClientRequest.post(address), body, "application/json"))
    .pipe(
      Effect.scoped,
      Effect.timeout(answerWithin),
      Effect.retry({ times: 2, schedule: Schedule.exponential("1 second"), while: mayPass }),
      Effect.catchTags({
        RequestError: () => new UnsetAddress({ why: `${host} cannot be reached` }),
        ResponseError: ({ response }) =>
          new UnsetAddress({ why: `${host} answered with status ${response.status}` }),
        TimeoutException: () =>
          new UnsetAddress({ why: `${host} gave no answer within ${Duration.format(answerWithin)}` })
      }),
      // The address would stand in the trace.
      Effect.withTracerEnabled(false)
    )
})

/** Whether asking again may help. */
const mayPass = (fault: HttpClientError.HttpClientError | { readonly _tag: "TimeoutException" }): boolean =>
  fault._tag !== "ResponseError" || fault.response.status >= 500 || fault.response.status === 429
