/** The service's base URL, key and timeouts. */
import { Context, type Duration, Redacted, RegExp as RegularExpression } from "effect"
import type { Dialect } from "../../domain/manifest/ServiceDialect.ts"
import type { ResolveName } from "../../system/NetworkPlace.ts"

/** The service's base URL, key and timeouts. */
export class ServiceAddress extends Context.Tag("gateway/ServiceAddress")<
  ServiceAddress,
  {
    /** http or https. A path, if any, is a prefix of every endpoint. */
    readonly baseUrl: URL
    readonly key: Redacted.Redacted
    /** Default: the interface's. */
    readonly dialect?: Dialect | undefined
    /** Timeout of a response of the interface. */
    readonly answerWithin: Duration.DurationInput
    /** Timeout of a whole audio file. */
    readonly audioWithin: Duration.DurationInput
    /** Audio that arrives at less than 2 kB/s for this long has stalled; default 30 s. */
    readonly stallWithin?: Duration.DurationInput
    /** Resolves host names, to check where audio is; default: as the system does. */
    readonly resolve?: ResolveName
  }
>() {}

/** Returns whether a URL is on the service's own origin. The key is sent to no other origin. */
export const isOwn = (baseUrl: URL, address: URL): boolean => address.origin === baseUrl.origin

/** Returns the path of an endpoint below a base URL. */
export const pathUnder = (baseUrl: URL, path: string): string => baseUrl.pathname.replace(/\/+$/u, "") + path

/** Formats text for display: one line, at most 300 characters, without markup, with the key replaced. */
export const presentable = (said: string, key: Redacted.Redacted): string => {
  const secret = Redacted.value(key)
  const line = said
    .slice(0, 4_000)
    .replace(/[\0\ufffd].*$/su, " … (binary data)")
    .replaceAll(/<[^>]*>/gu, " ")
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
  // In a URL, a host is in lower case.
  const inAnyCase = new RegExp(RegularExpression.escape(secret), "giu")
  const clean = secret === "" ? line : line.replaceAll(inAnyCase, "[key]")
  return clean.length > 300 ? `${clean.slice(0, 299)}…` : clean
}
