/** Starts servers for benchmarks, and creates keys of the service. */
import { type ChildProcess, spawn } from "node:child_process"
import { resolve } from "node:path"

/** The built command. Run `npm run build` first. */
export const command = resolve("dist/dubwright.mjs")

/** Runs node with these arguments until it prints the address where it listens. */
export const startServer = (
  args: ReadonlyArray<string>
): Promise<{ readonly child: ChildProcess; readonly address: string }> =>
  new Promise((listening, failed) => {
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
    child.stdout.on("data", (chunk) => {
      const address = /listening (http:\S+)/u.exec(String(chunk))?.[1]
      if (address !== undefined) listening({ child, address })
    })
    child.once("exit", () => failed(new Error("the server exited before it listened")))
  })

/** Creates a key of the service in this data folder. */
export const createKey = async (folder: string, name: string): Promise<string> => {
  const made = spawn(process.execPath, [command, "keys", "create", "--data", folder, "--name", name], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  let key = ""
  for await (const chunk of made.stdout) key += String(chunk)
  return key.trim()
}
