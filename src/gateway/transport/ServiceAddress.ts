/** Where the service is, and with which key it is spoken to. */
import { Context, type Duration, Redacted } from "effect"

/** The service's address and the patience with it. */
export class ServiceAddress extends Context.Tag("gateway/ServiceAddress")<
  ServiceAddress,
  {
    /** http or https; its path, if any, stands before every endpoint's. */
    readonly baseUrl: URL
    readonly key: Redacted.Redacted
    /** The longest wait for an answer of the interface. */
    readonly answerWithin: Duration.DurationInput
    /** The longest wait for a whole audio file. */
    readonly audioWithin: Duration.DurationInput
    /** Audio of which less than 2 kB a second comes for so long has stalled; default half a minute. */
    readonly stallWithin?: Duration.DurationInput
  }
>() {}

/** Whether an address lies at the service's own origin, to which alone the key is sent. */
export const isOwn = (baseUrl: URL, address: URL): boolean => address.origin === baseUrl.origin

/** Words to show: one line, at most 300 characters, the key struck out. */
export const presentable = (said: string, key: Redacted.Redacted): string => {
  const secret = Redacted.value(key)
  const line = said
    .replaceAll(/<[^>]*>/gu, " ")
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
  const clean = secret === "" ? line : line.replaceAll(secret, "[key]")
  return clean.length > 300 ? `${clean.slice(0, 299)}…` : clean
}
