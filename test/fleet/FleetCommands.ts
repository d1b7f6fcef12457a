/** Starts the real commands of a fleet: workers, and runs that dispatch their work to them. */
import { createHash } from "node:crypto"
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { dateBytes } from "../../src/audio/formats/WavHeader.ts"
import { type Started, startedBy, writeScene } from "../hostile/Command.ts"
import type { HostileService } from "../hostile/HostileService.ts"

/** The line of a run whose provider no worker serves. */
export const missedWorker =
  /^.*no worker in the fleet serves provider_fast; start one with dubwright worker\n/mu

/** A test fleet's shared folder with a manifest, and the commands that use it. */
export class Fleet {
  readonly share: string

  constructor(
    folder: string,
    private readonly service: HostileService,
    readonly redis: string,
    /** A share in S3, and the variables with its keys. Without it, the folder is the share. */
    private readonly remote?: { readonly address: string; readonly env: Readonly<Record<string, string>> }
  ) {
    this.share = join(folder, "share")
    mkdirSync(this.share, { recursive: true })
  }

  /** Writes the jobs `ep1`, `ep2` and so on. All share the same first line. */
  write(
    jobs: number,
    lines: number,
    more = "",
    onFailure: ReadonlyArray<string> = [],
    { outputs = "wav, srt, otio", video = "" } = {}
  ): void {
    for (let job = 1; job <= jobs; job++) {
      writeScene(this.share, lines, (line) =>
        line === 1 ? "As we have seen before." : `This is line ${line} of part ${job}.`
      )
      cpSync(join(this.share, "scene.srt"), join(this.share, `ep${job}.srt`))
    }
    const inputs = Array.from(
      { length: jobs },
      (_, job) =>
        `  - { input: ep${job + 1}.srt, onFailure: ${onFailure[job] ?? "fail"}${video === "" ? "" : `, video: ${video}`} }\n`
    ).join("")
    writeFileSync(
      join(this.share, "batch.yaml"),
      `service: { baseUrl: "${this.service.baseUrl}" }\n${more}defaults: { provider: provider_fast, voice: v1, outputs: [${outputs}] }\njobs:\n${inputs}`
    )
  }

  private get key(): string {
    return this.service.character.key
  }

  worker(name: string, before: ReadonlyArray<string> = [], more: ReadonlyArray<string> = []): Started {
    const where = ["--fleet", this.redis, "--share", this.remote?.address ?? this.share, "--name", name]
    return startedBy(this.key, ["worker", ...where, ...more], { before, env: this.remote?.env ?? {} })
  }

  /**
   * Starts a run: on the fleet, or on this machine with its results in `alone`. Its whole output leaves out that no
   * worker serves a provider: on a busy machine, a worker may start later than the run waits.
   */
  run(state: string, alone?: string, more: ReadonlyArray<string> = []): Started {
    const where =
      alone === undefined
        ? [
            "--fleet",
            this.redis,
            "--share",
            this.remote?.address ?? this.share,
            "--out",
            join(this.share, "out")
          ]
        : ["--out", alone]
    const words = ["run", join(this.share, "batch.yaml"), "--state", state, "--quiet"]
    const started = startedBy(this.key, [...words, ...where, ...more], { env: this.remote?.env ?? {} })
    const ended = started.ended.then(({ how, words }) => ({ how, words: words.replace(missedWorker, "") }))
    return { ...started, ended }
  }

  results(out = join(this.share, "out")): Readonly<Record<string, string>> {
    return checksumsOf(out)
  }
}

/**
 * Checksums of the delivered files, by name. Omits HTML pages, since they also show the previous run, the ids of tasks,
 * which differ on each service, and the dates of clips, which differ around midnight.
 */
export const checksumsOf = (out: string): Readonly<Record<string, string>> => {
  const files = readdirSync(out, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\/.*\.(?:wav|srt|otio|json|mp4)$/u.test(name)
  )
  return Object.fromEntries(
    files.sort().map((name) => [
      name,
      createHash("sha256")
        .update(
          name.endsWith("/provenance.json")
            ? readFileSync(join(out, name), "utf8").replaceAll(/"task": "[^"]*"/gu, "")
            : name.includes("/clips/")
              ? readFileSync(join(out, name)).fill(0, dateBytes.from, dateBytes.to)
              : readFileSync(join(out, name))
        )
        .digest("hex")
    ])
  )
}
