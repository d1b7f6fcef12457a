/** Simulates the machines of a fleet by network namespaces if permitted, else by ordinary processes. */
import { spawnSync } from "node:child_process"

const ip = (...words: ReadonlyArray<string>): boolean => spawnSync("ip", words).status === 0

export interface Machines {
  /** The address of the services they share. */
  readonly host: string
  /** Command prefix that runs a command on one of them. */
  readonly on: (machine: number) => ReadonlyArray<string>
  readonly release: () => void
}

/** Sets up `count` machines behind one bridge. */
export const machines = (count: number): Machines => {
  const name = `dw${process.pid.toString(36)}`
  const subnet = `10.${100 + (process.pid % 100)}.${Math.floor(process.pid / 100) % 256}`
  const release = () => {
    for (let machine = 0; machine < count; machine++) ip("netns", "del", `${name}-${machine}`)
    ip("link", "del", name)
  }
  const bridge =
    ip("link", "add", name, "type", "bridge") &&
    ip("addr", "add", `${subnet}.1/24`, "dev", name) &&
    ip("link", "set", name, "up")
  const made =
    bridge &&
    Array.from({ length: count }, (_, machine) => {
      const space = `${name}-${machine}`
      const [outer, inner] = [`${name}o${machine}`, `${name}i${machine}`]
      const inside = (...words: ReadonlyArray<string>) => ip("-n", space, ...words)
      return (
        ip("netns", "add", space) &&
        ip("link", "add", outer, "type", "veth", "peer", "name", inner) &&
        ip("link", "set", inner, "netns", space) &&
        ip("link", "set", outer, "master", name, "up") &&
        inside("addr", "add", `${subnet}.${machine + 2}/24`, "dev", inner) &&
        inside("link", "set", inner, "up") &&
        inside("link", "set", "lo", "up")
      )
    }).every(Boolean)
  if (made)
    return { host: `${subnet}.1`, on: (machine) => ["ip", "netns", "exec", `${name}-${machine}`], release }
  release()
  return { host: "127.0.0.1", on: () => [], release: () => {} }
}
