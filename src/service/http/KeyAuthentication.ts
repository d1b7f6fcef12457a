/** Authentication of requests by their key: in the header xi-api-key, or as a bearer token. */
import { HttpServerRequest } from "@effect/platform"
import { Effect, Layer, Option, Redacted } from "effect"
import { BlockList, isIP, isIPv6 } from "node:net"
import { keyHeader, KeySecurity } from "../../contract/SpeechApi.ts"
import { KeyGuard } from "../accounts/KeyGuard.ts"
import { keyExpired, keyMissing, keyUnknown } from "../accounts/KeyRefusals.ts"
import { KeyStore } from "../accounts/KeyStore.ts"
import { ServiceOptions } from "../config/ServiceOptions.ts"

type RequestHeaders = Readonly<Record<string, string | undefined>>

/** Returns the key of an Authorization header (RFC 6750, section 2.1). */
export const bearerIn = (headers: RequestHeaders): string | undefined =>
  /^Bearer +(\S+)$/iu.exec(headers["authorization"]?.trim() ?? "")?.[1]

/** Finds the account of a request's key. */
export class KeyAuthentication extends Effect.Service<KeyAuthentication>()("service/KeyAuthentication", {
  effect: Effect.gen(function* () {
    const { config } = yield* ServiceOptions
    const keys = yield* KeyStore
    const guard = yield* KeyGuard
    const proxies = proxyList(config.proxies ?? [])
    const holder = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const key = request.headers[keyHeader] ?? bearerIn(request.headers) ?? ""
      if (key === "") return yield* keyMissing
      const recognised = yield* keys.recognise(Redacted.make(key))
      const found = yield* guard.judge(clientAddress(request, proxies), recognised)
      if (Option.isNone(found)) return yield* keyUnknown
      return found.value.expired ? yield* keyExpired : found.value
    })
    return { holder }
  })
}) {}

/** Authenticates the contract's requests. The headers are read in one place for both kinds. */
export const keySecurity = Layer.effect(
  KeySecurity,
  Effect.map(KeyAuthentication, ({ holder }) =>
    KeySecurity.of({ bearer: () => keyMissing, key: () => holder })
  )
)

/** Returns the proxies whose X-Forwarded-For is believed. The settings have checked the addresses. */
export const proxyList = (proxies: ReadonlyArray<string>): BlockList => {
  const list = new BlockList()
  for (const proxy of proxies) {
    const [address = "", bits] = proxy.split("/")
    const family = isIPv6(address) ? "ipv6" : "ipv4"
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}

/**
 * Returns the client's address: the connection's, or the last address in X-Forwarded-For that is not a proxy. The
 * client may have invented the addresses before it.
 */
export const clientAddress = (
  { remoteAddress, headers }: Pick<HttpServerRequest.HttpServerRequest, "remoteAddress" | "headers">,
  proxies: BlockList
): string => {
  const forwarded = (headers["x-forwarded-for"] ?? "").split(",").map((each) => each.trim())
  let address = plain(Option.getOrElse(remoteAddress, () => ""))
  while (isProxy(proxies, address)) {
    const before = plain(forwarded.pop() ?? "")
    if (isIP(before) === 0) break
    address = before
  }
  return address
}

const isProxy = (proxies: BlockList, address: string): boolean =>
  isIP(address) !== 0 && proxies.check(address, isIPv6(address) ? "ipv6" : "ipv4")

/** IPv4 addresses may be written as IPv6. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/iu, "")
