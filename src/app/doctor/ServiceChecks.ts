/** What `doctor` asks of a service: whether it answers, and whether it takes the key. */
import { Effect, Option } from "effect"
import { NoFfmpeg } from "../../ffmpeg/process/FfmpegErrors.ts"
import { InvalidResponse, Refused } from "../../gateway/GatewayErrors.ts"
import { Gateway } from "../../gateway/Gateway.ts"
import { chosenService, readingFrom, type ServiceOptions } from "../layers/GatewayLayer.ts"
import type { Check } from "./DoctorChecks.ts"
import { Screen } from "../terminal/Screen.ts"
import { environmentKey } from "../layers/Environment.ts"

/** The service's and the key's checks. */
export const serviceChecks = (options: ServiceOptions) =>
  Effect.gen(function* () {
    const service = yield* chosenService(options)
    const key = yield* environmentKey
    const name = service === "embedded" ? "the bundled one" : service.baseUrl
    if (service !== "embedded" && Option.isNone(key)) {
      const noKey = {
        state: "wrong",
        found: "DUBWRIGHT_API_KEY is not set",
        mend: "export DUBWRIGHT_API_KEY=… with the service's key"
      } as const
      return [
        { name: "Service", state: "warning", found: `${name}: not asked without a key` },
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
                found: `${name}: not started without an ffmpeg`
              } satisfies Check)
            : unwell(name, failure)
        ])
      )
    )
  })

const asked = (name: string, bundled: boolean) =>
  Effect.gen(function* () {
    const { ping, reads } = yield* Gateway
    // Whether it is there at all is told at once: what it says of itself is asked for patiently.
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
              mend: "use another provider, or mend that engine in the service's settings"
            }
      }),
      // Who refuses a key is there to refuse it.
      Effect.catchIf(
        (failure) => failure instanceof Refused,
        () => Effect.succeed<Check>({ name: "Service", state: "well", found: `${name}: it answers` })
      ),
      Effect.catchAll((failure) => Effect.succeed(unwell(name, failure)))
    )
    if (bundled)
      return [
        service,
        { name: "Key", state: "well", found: "the bundled service needs none" } satisfies Check
      ]
    if (service.state === "wrong")
      return [
        service,
        { name: "Key", state: "warning", found: "not asked: the service does not answer" } satisfies Check
      ]
    const key = yield* within(name, reads.credits).pipe(
      Effect.map(({ credits, unlimited }): Check => ({
        name: "Key",
        state: "well",
        found: `accepted; credits: ${unlimited ? "no limit" : String(credits ?? "not said")}`
      })),
      Effect.catchAll((failure) =>
        Effect.succeed<Check>({
          name: "Key",
          state: "wrong",
          found: failure.message,
          mend: "check that DUBWRIGHT_API_KEY holds this service's key (not a login of its web tool)"
        })
      )
    )
    return [service, key]
  })

/** A doctor does not wait as long as a run does, and says what for. */
const within = <A, E, R>(name: string, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const waiting = screen.say(`  asking ${name}, for 8 seconds at most`)
    yield* Effect.forkScoped(Effect.delay(waiting, "300 millis"))
    return yield* Effect.timeoutFail(effect, {
      duration: "8 seconds",
      onTimeout: () => new InvalidResponse({ words: "none within 8 seconds" })
    })
  }).pipe(Effect.scoped)

const unwell = (name: string, failure: { readonly message: string }): Check => ({
  name: "Service",
  state: "wrong",
  found: `${name}: ${failure.message}`,
  mend: "check the address (--base-url, DUBWRIGHT_BASE_URL) and that the service runs; --embedded uses the bundled one"
})
