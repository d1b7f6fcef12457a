/** `npm run conformance -- --base-url URL`: walks the public interface of any service and says which points hold. */
import { parseArgs } from "node:util"
import { Service } from "./Service.ts"
import { type Finding, providerIds, walk } from "./Walk.ts"

const help = `usage: npm run conformance -- --base-url URL [--provider ID]... [--read-only] [--patience SECONDS]

Walks the public interface of the service at URL and says which points hold. The key is read from DUBWRIGHT_API_KEY.
It makes a few short tasks in each provider, which costs credits, and deletes them again; --read-only makes none,
--provider names the providers to make tasks in (all five otherwise), --patience how long a task may take (120).
Ends with 0 where every point holds, 1 where one does not, 2 on bad usage.
`

const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const told = ({ point, verdict, detail }: Finding): void => {
  print(`${verdict.padEnd(8)} ${point}${detail === "" ? "" : `: ${detail}`}`)
}

const usage = (problem: string): number => {
  process.stderr.write(`${problem}\n\n${help}`)
  return 2
}

const main = async (): Promise<number> => {
  let options
  try {
    options = parseArgs({
      options: {
        "base-url": { type: "string" },
        provider: { type: "string", multiple: true },
        "read-only": { type: "boolean", default: false },
        patience: { type: "string", default: "120" },
        help: { type: "boolean", default: false }
      }
    }).values
  } catch (cause) {
    return usage(cause instanceof Error ? cause.message : String(cause))
  }
  if (options.help) {
    print(help)
    return 0
  }
  const baseUrl = options["base-url"] ?? ""
  if (!URL.canParse(baseUrl) || !/^https?:/u.test(baseUrl)) {
    return usage(`--base-url ${baseUrl}: expected an address that begins with http:// or https://`)
  }
  const key = process.env["DUBWRIGHT_API_KEY"] ?? ""
  if (key === "") return usage("DUBWRIGHT_API_KEY is not set: it holds the service's key")
  const patience = Number(options.patience)
  if (!(patience > 0)) return usage(`--patience ${options.patience}: expected a number of seconds`)
  const findings = await walk(
    new Service(baseUrl.replace(/\/+$/u, ""), key),
    { providers: options["read-only"] ? [] : (options.provider ?? providerIds), patience },
    told
  )
  const count = (verdict: Finding["verdict"]) => findings.filter((each) => each.verdict === verdict).length
  print(
    `${count("holds")} points hold, ${count("broken")} do not, ${count("skipped")} could not be looked at`
  )
  return count("broken") === 0 ? 0 : 1
}

process.exitCode = await main().catch((cause: unknown) => {
  process.stderr.write(
    `the service cannot be examined: ${cause instanceof Error ? cause.message : String(cause)}\n`
  )
  return 1
})
