/**
 * `npm run conformance -- --base-url URL`: checks any service against the public interface and reports which points
 * hold.
 */
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { Either } from "effect"
import { parseConfig } from "../../src/service/config/ServiceConfigFile.ts"
import { walkEngine } from "./EngineWalk.ts"
import { Service } from "./Service.ts"
import { type Finding, providerIds, walk } from "./Walk.ts"

const help = `usage: npm run conformance -- --base-url URL [--provider ID]... [--read-only] [--patience SECONDS]
       npm run conformance -- --engine NAME [--config FILE] [--voice ID] [--text TEXT] [--read-only]

Checks the service at URL against the public interface and reports which points hold. The key is read from
DUBWRIGHT_API_KEY. Creates a few short tasks per provider, which costs credits, and deletes them again.

  --provider ID       create tasks for this provider only; may be repeated (default: all five)
  --read-only         create no tasks
  --patience SECONDS  timeout for a task (default: 120)

With --engine, checks one engine of the service's settings instead, with its key from the environment. It speaks one
short text, and says first how many characters the provider charges.

  --engine NAME       an engine of the settings, or a kind such as elevenlabs
  --config FILE       the service's settings (default: none)
  --voice ID          the voice to speak with (default: the engine's first)
  --text TEXT         the text to speak (default: a short one in Vietnamese or English)

Exit codes: 0 every point holds, 1 a point is broken, 2 bad usage
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
        engine: { type: "string" },
        config: { type: "string" },
        voice: { type: "string" },
        text: { type: "string" },
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
  if (options.engine !== undefined) {
    const file = options.config
    const config = file === undefined ? Either.right({}) : parseConfig(readFileSync(file, "utf8"), file)
    if (Either.isLeft(config)) return usage(config.left.message)
    const { engine, voice, text } = options
    return summary(
      await walkEngine(
        { engine, config: config.right, voice, text, speaks: !options["read-only"] },
        told,
        print
      )
    )
  }
  const baseUrl = options["base-url"] ?? ""
  if (!URL.canParse(baseUrl) || !/^https?:/u.test(baseUrl)) {
    return usage(`--base-url ${baseUrl}: expected a URL that begins with http:// or https://`)
  }
  const key = process.env["DUBWRIGHT_API_KEY"] ?? ""
  if (key === "") return usage("DUBWRIGHT_API_KEY is not set; set it to the service's key")
  const patience = Number(options.patience)
  if (!(patience > 0)) return usage(`--patience ${options.patience}: expected a number of seconds`)
  const findings = await walk(
    new Service(baseUrl.replace(/\/+$/u, ""), key),
    { providers: options["read-only"] ? [] : (options.provider ?? providerIds), patience },
    told
  )
  return summary(findings)
}

const summary = (findings: ReadonlyArray<Finding>): number => {
  const count = (verdict: Finding["verdict"]) => findings.filter((each) => each.verdict === verdict).length
  print(`${count("holds")} points hold, ${count("broken")} are broken, ${count("skipped")} were skipped`)
  return count("broken") === 0 ? 0 : 1
}

process.exitCode = await main().catch((cause: unknown) => {
  process.stderr.write(`the check failed: ${cause instanceof Error ? cause.message : String(cause)}\n`)
  return 1
})
