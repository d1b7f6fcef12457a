/** Service checks of `doctor`: whether the service responds, and whether it accepts the key. */
import { Effect, Option } from "effect"
import { NoFfmpeg } from "../../ffmpeg/process/FfmpegErrors.ts"
import { InvalidResponse, Refused } from "../../gateway/GatewayErrors.ts"
import { Gateway } from "../../gateway/Gateway.ts"
import { chosenService, readingFrom, type ServiceFlags } from "../layers/GatewayLayer.ts"
import type { Check } from "./DoctorChecks.ts"
import { Screen } from "../terminal/Screen.ts"
import { environmentKey } from "../layers/Environment.ts"

/** Runs the checks of the service and the key. */
export const serviceChecks = (options: ServiceFlags) =>
  Effect.gen(function* () {
    const service = yield* chosenService(options)
    const key = yield* environmentKey
    const name = service === "embedded" ? "bundled service" : service.baseUrl
    if (service !== "embedded" && Option.isNone(key)) {
      const noKey = {
        state: "wrong",
        found: "DUBWRIGHT_API_KEY is not set",
        remedy: "export DUBWRIGHT_API_KEY=… with the service's key"
      } as const
      return [
        { name: "Service", state: "warning", found: `${name}: not checked without a key` },
        { name: "Key", ...noKey }
      ] satisfies ReadonlyArray<Check>
    }
    return yield* asked(name, service === "embedded").pipe(
      Effect.provide(readingFrom(options)),
      Effect.catchAll((failure) =>
        Effect.succeed([
          failure instanceof NoFfmpeg
            ? ({
                name: "Service",
                state: "warning",
                found: `${name}: not started, because it needs ffmpeg`
              } satisfies Check)
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
      Effect.map(({ status, version, providers }): Check => {
        const idle = providers.filter(({ ready }) => !ready)
        const found = `${name}: ${status}${version === "" ? "" : `, version ${version}`}`
        return idle.length === 0
          ? { name: "Service", state: "well", found }
          : {
              name: "Service",
              state: "warning",
              found: `${found}; not ready: ${idle.map(({ provider, reason }) => `${provider} (${reason ?? "no reason given"})`).join(", ")}`,
              remedy: "use another provider, or fix that engine in the service's settings"
            }
      }),
      // A service that rejects the key responds, so it is up.
      Effect.catchIf(
        (failure) => failure instanceof Refused,
        () => Effect.succeed<Check>({ name: "Service", state: "well", found: `${name}: responds` })
      ),
      Effect.catchAll((failure) => Effect.succeed(unwell(name, failure)))
    )
    if (bundled)
      return [
        service,
        { name: "Key", state: "well", found: "not needed by the bundled service" } satisfies Check
      ]
    if (service.state === "wrong")
      return [
        service,
        { name: "Key", state: "warning", found: "not checked: the service does not respond" } satisfies Check
      ]
    const key = yield* within(name, reads.credits).pipe(
      Effect.map(({ credits, unlimited }): Check => ({
        name: "Key",
        state: "well",
        found: `accepted; credits: ${unlimited ? "no limit" : String(credits ?? "unknown")}`
      })),
      Effect.catchAll((failure) =>
        Effect.succeed<Check>({
          name: "Key",
          state: "wrong",
          found: failure.message,
          remedy: "check that DUBWRIGHT_API_KEY is this service's key (not a login of its web tool)"
        })
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

const unwell = (name: string, failure: { readonly message: string }): Check => ({
  name: "Service",
  state: "wrong",
  found: `${name}: ${failure.message}`,
  remedy:
    "check the URL (--base-url, DUBWRIGHT_BASE_URL) and that the service is running; --embedded uses the bundled one"
})
