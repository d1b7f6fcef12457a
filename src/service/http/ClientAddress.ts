/** The address of a request's client. Behind a proxy, it is in X-Forwarded-For. */
import { BlockList, isIP, isIPv6 } from "node:net"
import type { HttpServerRequest } from "@effect/platform"
import { Option } from "effect"

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
