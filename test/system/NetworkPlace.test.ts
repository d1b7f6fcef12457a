import { createSocket } from "node:dgram"
import { Resolver } from "node:dns/promises"
import { expect, it } from "vitest"
import { namesFrom, networkPlaceOf } from "../../src/system/NetworkPlace.ts"

it.each([
  ["127.0.0.1", "loopback"],
  ["127.255.0.9", "loopback"],
  ["0.0.0.0", "loopback"],
  ["::1", "loopback"],
  ["::", "loopback"],
  ["::ffff:127.0.0.1", "loopback"],
  ["10.1.2.3", "private"],
  ["172.16.0.1", "private"],
  ["172.32.0.1", "public"],
  ["192.168.1.1", "private"],
  ["100.64.0.1", "private"],
  ["198.18.0.1", "private"],
  ["224.0.0.1", "private"],
  ["255.255.255.255", "private"],
  ["fd00::1", "private"],
  ["::ffff:10.0.0.1", "private"],
  ["64:ff9b::a00:1", "private"],
  ["64:ff9b::808:808", "public"],
  ["2002:7f00:1::", "loopback"],
  ["::127.0.0.1", "private"],
  ["::8.8.8.8", "private"],
  ["::10.0.0.1", "private"],
  ["::7f00:1", "private"],
  ["fec0::1", "private"],
  ["64:ff9b:1::7f00:1", "loopback"],
  ["4000::1", "private"],
  ["169.254.169.254", "link-local"],
  ["fe80::1", "link-local"],
  ["8.8.8.8", "public"],
  ["2606:4700::1111", "public"],
  ["not an address", "private"]
] as const)("places %s: %s", (address, place) => {
  expect(networkPlaceOf(address)).toBe(place)
})

it("a name server that is silent ends the lookup, and the hosts file is asked first", async () => {
  const server = createSocket("udp4")
  await new Promise<void>((resume) => server.bind(0, "127.0.0.1", resume))
  // Without the bound, the resolver would be patient for an hour.
  const resolver = new Resolver({ timeout: 3_600_000, tries: 1 })
  resolver.setServers([`127.0.0.1:${server.address().port}`])
  await expect(namesFrom("hooks.example", resolver)).rejects.toThrow("hooks.example does not resolve")
  expect(await namesFrom("localhost", resolver)).toContain("127.0.0.1")
  server.close()
})
