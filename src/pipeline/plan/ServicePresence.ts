/** First contact with the service: fails fast if its address is wrong or nothing runs there. */
import { Data, Effect, Schedule } from "effect"
import type { CallFault } from "../../gateway/GatewayErrors.ts"
import { Gateway } from "../../gateway/Gateway.ts"
import type { Batch } from "../load/Job.ts"
import { warn } from "../Progress.ts"

/** There is no such service at the address. */
export class ServiceAbsent extends Data.TaggedError("ServiceAbsent")<{
  /** The service's address. */
  readonly service: string
  /** The connection error. */
  readonly words: string
  /** The settings to check. */
  readonly advice: string
}> {
  override get message(): string {
    return `${this.service}: ${this.words}; ${this.advice}, then run again`
  }
}

/** Four retries over about eight seconds, enough for a service to restart. */
const quickly = Schedule.spaced("2 seconds").pipe(Schedule.intersect(Schedule.recurs(4)))

/**
 * Pings the service. Fails if its address is wrong or nothing runs there. Other faults may pass; later requests have
 * retries of their own.
 */
export const greeted = Effect.fnUntraced(function* ({ service }: Pick<Batch, "service">) {
  const gateway = yield* Gateway
  const address = service === "embedded" ? "the bundled service" : shown(service.baseUrl)
  let isFirst = true
  const ping = Effect.tapError(gateway.ping, (fault) =>
    Effect.suspend(() => {
      const why = absence(fault)
      if (why === undefined || !isFirst) return Effect.void
      isFirst = false
      return warn(`${address}: ${why.words}; retrying for 8 seconds`)
    })
  )
  const answer = yield* Effect.either(
    Effect.retry(ping, { schedule: quickly, while: (fault) => absence(fault) !== undefined })
  )
  if (answer._tag === "Right" || answer.left._tag === "Refused") return
  const why = absence(answer.left)
  if (why !== undefined) return yield* new ServiceAbsent({ service: address, ...why })
  yield* warn(`${answer.left.message}; requests will be retried`)
})

/** The address without user name and password. */
const shown = (baseUrl: string): string => {
  const { origin, pathname } = new URL(baseUrl)
  return origin + pathname.replace(/\/+$/u, "")
}

const tls = /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO)/u

/** Describes a fault that means there is no such service at the address; undefined if the fault may pass. */
export const absence = (fault: CallFault): Pick<ServiceAbsent, "words" | "advice"> | undefined => {
  if ((fault._tag !== "Unreachable" && fault._tag !== "InvalidResponse") || fault.code === undefined)
    return undefined
  const { code, words } = fault
  if (code === "ECONNREFUSED")
    return {
      words: `connection refused (${words})`,
      advice: "check the port of --base-url or service:, and that the service is running"
    }
  if (code === "ENOTFOUND")
    return { words: `unknown host (${words})`, advice: "check the host name of --base-url or service:" }
  return tls.test(code)
    ? {
        words: `the TLS connection failed (${words})`,
        advice:
          "check that the URL has the right scheme (http:// or https://), and check the certificate (NODE_EXTRA_CA_CERTS adds your own)"
      }
    : undefined
}
