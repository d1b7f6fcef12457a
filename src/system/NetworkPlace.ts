/**
 * Where an IP address is: on this machine, inside a private network, on the local link, or on the internet. Servers can
 * name addresses to which this program then connects. These checks reject addresses that only this machine can reach.
 */
import { lookup as resolveName, Resolver } from "node:dns/promises"
import { readFile } from "node:fs/promises"
import type { LookupFunction } from "node:net"
import ipaddr from "ipaddr.js"

/** `link-local` includes the metadata servers of clouds, 169.254.169.254. */
export type NetworkPlace = "loopback" | "private" | "link-local" | "public"

/** Returns all IP addresses of a host name. Rejects if the name is unknown. */
export type ResolveName = (host: string) => Promise<ReadonlyArray<string>>

/** Resolves as the system does: hosts file, then DNS. */
export const systemNames: ResolveName = async (host) =>
  (await resolveName(host, { all: true })).map(({ address }) => address)

const hostsFile = process.platform === "win32" ? "C:\\Windows\\System32\\drivers\\etc\\hosts" : "/etc/hosts"

/**
 * Resolves by the hosts file, then DNS, in at most 2 s. The system's own lookups take a thread each, of four in all,
 * for as long as a name server is silent. Unlike those, it tries no search domains.
 */
export const boundedNames: ResolveName = (host) => namesFrom(host, new Resolver({ timeout: 900, tries: 2 }))

/** Resolves by the hosts file, then a resolver, in at most 2 s. */
export const namesFrom = async (host: string, dns: Resolver): Promise<ReadonlyArray<string>> => {
  const lines = (await readFile(hostsFile, "utf8").catch(() => "")).split("\n")
  const own = lines.flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/u, "").trim().split(/\s+/u)
    return ipaddr.isValid(address) && names.includes(host) ? [address] : []
  })
  if (own.length > 0) return own
  const late = setTimeout(() => dns.cancel(), 2_000)
  const answers = await Promise.allSettled([dns.resolve4(host), dns.resolve6(host)])
  clearTimeout(late)
  const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
  if (addresses.length > 0) return addresses
  throw Object.assign(new Error(`${host} does not resolve; correct the name`), { code: "ENOTFOUND" })
}

/**
 * Returns where an IP address is, by the special-purpose address registries of IANA
 * (https://www.iana.org/assignments/iana-ipv4-special-registry). An IPv6 address that contains an IPv4 address is where
 * the latter is. Only 2000::/3 of IPv6 is public. Reserved addresses, and texts that are not addresses, count as
 * private.
 */
export const networkPlaceOf = (address: string): NetworkPlace => {
  // The package reads the deprecated ::192.0.2.1 as the IPv4 address inside.
  if (!ipaddr.isValid(address) || /^::\d+\./u.test(address)) return "private"
  const parsed = ipaddr.process(address)
  const range = parsed.range()
  if (parsed instanceof ipaddr.IPv6 && carriers.has(range)) {
    const bytes = parsed.toByteArray()
    return networkPlaceOf((range === "6to4" ? bytes.slice(2, 6) : bytes.slice(12)).join("."))
  }
  if (parsed instanceof ipaddr.IPv6 && range === "unicast" && !parsed.match(globalUnicast)) return "private"
  if (range === "loopback" || range === "unspecified") return "loopback"
  if (range === "linkLocal") return "link-local"
  return range === "unicast" ? "public" : "private"
}

const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")

/** Ranges of IPv6 addresses that translators map to the IPv4 address inside: NAT64, SIIT and 6to4. */
const carriers: ReadonlySet<string> = new Set(["rfc6052", "rfc6145", "6to4"])

/** Returns a URL's host without the brackets of an IPv6 address. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/gu, "")

/** Returns where a host is, by all of its addresses. */
export const placesOf = async (host: string, resolve: ResolveName): Promise<ReadonlySet<NetworkPlace>> =>
  new Set((ipaddr.isValid(host) ? [host] : await resolve(host)).map(networkPlaceOf))

/** Error code of a connection to an address that is not allowed. */
export const placeRefused = "ERR_PLACE_REFUSED"

/**
 * Makes the lookup of guarded connections: it fails if any address of the name is not allowed. The connection is made
 * to the addresses that were checked, so a name that changes its addresses cannot pass.
 */
export const guardedLookup =
  (resolve: ResolveName, isAllowed: (address: string) => boolean): LookupFunction =>
  (host, options, found) => {
    void (async () => {
      const addresses = await resolve(host)
      const refused = addresses.find((address) => !isAllowed(address))
      if (refused !== undefined)
        throw Object.assign(
          new Error(`${host} is ${refused}, an address of a ${networkPlaceOf(refused)} network`),
          {
            code: placeRefused
          }
        )
      const wanted = addresses
        .map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
        .filter(
          ({ family }) =>
            options.family === undefined || options.family === 0 || family === Number(options.family)
        )
      const [first] = wanted
      if (first === undefined) throw Object.assign(new Error(`${host} has no address`), { code: "ENOTFOUND" })
      if (options.all === true) found(null, wanted)
      else found(null, first.address, first.family)
    })().catch((error: unknown) => found(error instanceof Error ? error : new Error(String(error)), ""))
  }
