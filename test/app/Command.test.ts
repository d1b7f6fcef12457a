import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { Either } from "effect"
import { describe, expect, test } from "vitest"
import { readManifest } from "../../src/pipeline/load/ManifestFile.ts"
import { bundled } from "../ffmpeg/binaries.ts"
import { runHere } from "./cli/inProcess.ts"
import { emptyFolder, run, start } from "./process.ts"

describe("help and version", () => {
  test("--version prints only the version", async () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8"))
    expect(await run(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" })
  })

  test("help all lists every command, environment variable and exit code, and needs no environment", async () => {
    const { code, stdout, stderr } = await run(["help", "all"])
    expect([code, stderr]).toEqual([0, ""])
    for (const name of [
      ...["run", "plan", "status", "retry", "clean", "service", "voices"],
      ...["serve", "keys", "verify", "doctor", "init", "schedule", "schema"]
    ]) {
      expect(stdout).toMatch(new RegExp(`^  ${name} `, "mu"))
    }
    for (const name of ["health", "credits", "providers", "models", "voices", "tasks"]) {
      const page = `Usage: dubwright service ${name} `
      expect((await run(["help", name])).stdout).toContain(
        name === "voices" ? "Usage: dubwright voices" : page
      )
      expect((await run(["service", name, "--help"])).stdout).toContain(page)
    }
    const [, commands = ""] = /^Commands\n((?: {2}.*\n)+)/mu.exec(stdout) ?? []
    expect(commands.match(/^ {2}\S/gmu)?.length).toBeLessThanOrEqual(24)
    for (const code of [0, 1, 2, 3, 4, 75, 130]) expect(stdout).toMatch(new RegExp(`^ +${code}  \\S`, "mu"))
    for (const name of ["DUBWRIGHT_API_KEY", "DUBWRIGHT_BASE_URL", "DUBWRIGHT_FFMPEG", "NO_COLOR"])
      expect(stdout).toContain(name)
    expect(stdout).not.toContain("\u001b")
  })

  test("run --help lists every option", async () => {
    const { code, stdout } = await runHere(["run", "--help"])
    expect(code).toBe(0)
    expect([...stdout.matchAll(/^ {2}(--[a-z-]+)/gmu)].map(([, name]) => name)).toEqual([
      ...["--base-url", "--embedded", "--out", "--state", "--only"],
      ...["--bilingual", "--voice", "--provider", "--model"],
      ...[
        "--language",
        "--outputs",
        "--video",
        "--concurrency",
        "--max-credits",
        "--force",
        "--deadline",
        "--log",
        "--events",
        "--fleet",
        "--share",
        "--json",
        "--quiet",
        "--verbose"
      ]
    ])
  })

  test("without arguments, prints the overview", async () => {
    expect(await runHere([])).toEqual(await runHere(["help"]))
  })

  test.each(["bash", "zsh", "fish"])(
    "the completion script for %s lists only accepted options",
    async (shell) => {
      const { code, stdout } = await run(["--completions", shell])
      expect(code).toBe(0)
      expect(stdout).toMatch(/max-credits/u)
      expect(stdout).toMatch(/log-level/u)
      expect(stdout).not.toMatch(/wizard/u)
    }
  )
})

describe("bad usage", () => {
  test.each([
    [["rnu"], 'unknown command "rnu"; did you mean run?'],
    [["run"], "missing argument <file>"],
    [["--completions", "pwsh"], '--completions: expected bash, zsh, fish, sh, found "pwsh"'],
    [["run", "a.srt", "--otu", "x"], "unknown option --otu; did you mean --out?"],
    [
      ["run", "a.srt", "--concurrency", "0"],
      '--concurrency: expected a whole number from 1 to 1000, found "0"'
    ],
    [["run", "a.srt", "--max-credits", "lots"], '--max-credits: expected a number, 0 or more, found "lots"'],
    [["run", "a.srt", "--base-url", "tts.example"], "--base-url: expected an http or https URL"],
    [
      ["run", "a.srt", "--language", "e"],
      '--language: expected a language such as en, vi, pt-BR or French, found "e"'
    ],
    [
      ["run", "a.srt", "--deadline", "25:00"],
      '--deadline: expected a time of day such as 06:00, found "25:00"'
    ],
    [["clean", "a.yaml", "--older-than", "soon"], "--older-than: expected an age such as 30d, 12h or 4w"],
    [["keys"], "missing command after dubwright keys"],
    [["keys", "create"], "missing option --name"],
    [["init", "a", "b"], "'b'"]
  ])("%j exits with 2 and one line", async (words, message) => {
    const { code, stdout, stderr } = await runHere(words)
    expect([code, stdout]).toEqual([2, ""])
    expect(stderr).toMatch(/^dubwright: [^\n]+\n$/u)
    expect(stderr).toContain(message)
  })
})

describe("init and schema", () => {
  test("init writes a manifest of what it finds, and prints only its path on stdout", async () => {
    const folder = emptyFolder()
    mkdirSync(join(folder, "subs"))
    writeFileSync(join(folder, "subs/film.vi.srt"), "1\n00:00:01,000 --> 00:00:02,000\nANNA: Xin chào.\n")
    writeFileSync(join(folder, "subs/film.mp4"), "")
    const first = await runHere(["init", folder])
    expect([first.code, first.stdout]).toEqual([0, `${join(folder, "dubwright.yaml")}\n`])
    const manifest = readFileSync(join(folder, "dubwright.yaml"), "utf8")
    expect(manifest).toContain("input: subs/film.vi.srt")
    expect(manifest).toContain("video: subs/film.mp4")
    expect(manifest).toContain("ANNA: { vi: { provider: provider_native, voice: vi-anna } }")
  })

  test("init adds jobs to an existing manifest, and plan names subtitles in no job", async () => {
    const folder = emptyFolder()
    const edited = "# mine\nname: x\nservice: embedded\njobs:\n  - input: film.vi.srt\n"
    writeFileSync(join(folder, "film.vi.srt"), "1\n00:00:01,000 --> 00:00:02,000\nANNA: Xin chào.\n")
    writeFileSync(join(folder, "dubwright.yaml"), edited)
    const second = await runHere(["init", folder])
    expect([second.code, second.stderr]).toEqual([0, expect.stringContaining("nothing to add")])
    expect(readFileSync(join(folder, "dubwright.yaml"), "utf8")).toBe(edited)
    writeFileSync(join(folder, "new.de.srt"), "1\n00:00:01,000 --> 00:00:02,000\nGuten Tag.\n")
    const unlisted = await runHere(["plan", "dubwright.yaml"], { cwd: folder })
    expect(unlisted.stderr).toContain(
      "note: 1 subtitle is in no job: new.de.srt (dubwright init adds jobs)\n"
    )
    const third = await runHere(["init", folder])
    expect([third.code, third.stderr]).toEqual([0, expect.stringContaining("added 1 job: new.de;")])
    const grown = readFileSync(join(folder, "dubwright.yaml"), "utf8")
    expect(grown.startsWith(edited)).toBe(true)
    expect(grown.slice(edited.length)).toContain("    input: new.de.srt\n")
    expect((await runHere(["init", folder, "--force"])).code).toBe(0)
    expect(readFileSync(join(folder, "dubwright.yaml"), "utf8")).not.toContain("# mine")
  })

  test("init writes a season as one pattern, with beds, and casts its speakers by language", async () => {
    const cwd = emptyFolder()
    for (const folder of ["subs", "video", "me"]) mkdirSync(join(cwd, folder))
    const cues = ["MAN: One.", "WOMAN: Two.", "Three."].map(
      (line, at) => `${at + 1}\n00:00:0${at + 1},000 --> 00:00:0${at + 2},000\n${line}\n`
    )
    for (const episode of ["Lake [1] E01", "Lake [1] E02"]) {
      for (const language of ["vi", "fr", "gl"])
        writeFileSync(join(cwd, `subs/${episode}.${language}.srt`), cues.join("\n"))
      writeFileSync(join(cwd, `video/${episode}.mkv`), "")
      writeFileSync(join(cwd, `me/${episode}_M&E.wav`), "")
    }
    const { code, stderr } = await runHere(["init", "--yes", "--sound", "music-and-effects"], { cwd })
    const manifest = Either.getOrThrow(readManifest(readFileSync(join(cwd, "dubwright.yaml"), "utf8"), ""))
    expect([code, manifest.jobs]).toEqual([
      0,
      [
        {
          input: "subs/{episode}.{language}.srt",
          video: "video/{episode}.mkv",
          background: "me/{episode}_M&E.wav",
          original: "keep"
        }
      ]
    ])
    const [aria, marcus] = ["aria", "marcus"].map((voice) => ({ provider: "provider_expressive", voice }))
    const [anna, bo] = ["vi-anna", "vi-bo"].map((voice) => ({ provider: "provider_native", voice }))
    expect(manifest.cast).toEqual({
      default: { fr: aria, vi: anna },
      speakers: { MAN: { fr: marcus, vi: bo }, WOMAN: { fr: aria, vi: anna } }
    })
    expect(stderr).toContain("wrote a manifest with 6 jobs;")
  })

  test("init leaves the films' own language out of a season's pattern", async () => {
    const cwd = emptyFolder()
    const cue = "1\n00:00:01,000 --> 00:00:02,000\nBonsoir.\n"
    for (const episode of ["E01", "E02"]) {
      for (const language of ["vi", "de", "fre"]) writeFileSync(join(cwd, `${episode}.${language}.srt`), cue)
      const picture = ["-f", "lavfi", "-i", "color=s=16x16:d=1", "-metadata:s:a:0", "language=fra"]
      const sound = ["-v", "error", "-f", "lavfi", "-i", "sine=d=1", ...picture]
      expect(spawnSync(bundled.path, [...sound, join(cwd, `${episode}.mkv`)]).status).toBe(0)
    }
    expect((await runHere(["init", "--yes"], { cwd })).code).toBe(0)
    const manifest = Either.getOrThrow(readManifest(readFileSync(join(cwd, "dubwright.yaml"), "utf8"), ""))
    expect(manifest.jobs).toEqual([
      { input: "{episode}.{language}.srt", video: "{episode}.mkv", match: { language: "de|vi" } }
    ])
    expect(
      JSON.parse((await runHere(["plan", "dubwright.yaml", "--json"], { cwd })).stdout).jobs
    ).toHaveLength(4)
  })

  test("init finds file names in capitals, and pairs a subtitle with the film in its folder", async () => {
    const folder = emptyFolder()
    const cue = "1\n00:00:01,000 --> 00:00:02,000\nGood evening.\n"
    for (const season of ["s1", "s2"]) {
      mkdirSync(join(folder, season))
      writeFileSync(join(folder, season, "Ep.en.sdh.srt"), cue)
      writeFileSync(join(folder, season, "Ep.mp4"), "")
    }
    writeFileSync(join(folder, "ALONE.SRT"), cue)
    expect((await runHere(["init", folder, "--yes"])).code).toBe(0)
    const manifest = readFileSync(join(folder, "dubwright.yaml"), "utf8")
    expect(manifest.match(/(?<=^ {2}[- ] )(?:id|input|video|language): .*/gmu)).toEqual([
      ...["id: ALONE", "input: ALONE.SRT"],
      ...["id: Ep.en.sdh", "input: s1/Ep.en.sdh.srt", "video: s1/Ep.mp4", "language: en"],
      ...["id: Ep.en.sdh-2", "input: s2/Ep.en.sdh.srt", "video: s2/Ep.mp4", "language: en"]
    ])
  })

  test("init finds a file once, even through several links", async () => {
    const cwd = emptyFolder()
    writeFileSync(join(cwd, "film.en.srt"), "1\n00:00:01,000 --> 00:00:02,000\nHello.\n")
    symlinkSync(".", join(cwd, "again"))
    await runHere(["init"], { cwd })
    expect(readFileSync(join(cwd, "dubwright.yaml"), "utf8").match(/^ +input: .*$/gmu)).toEqual([
      "    input: film.en.srt"
    ])
  })

  test("init takes a folder, and prints the next command quoted for a shell", async () => {
    const cwd = emptyFolder()
    expect((await runHere(["init", "Été (1)"], { cwd })).stderr).toMatch(
      /: dubwright plan 'Été \(1\)\/dubwright.yaml'\n$/u
    )
    writeFileSync(join(cwd, "film.srt"), "")
    expect(await runHere(["init", "film.srt"], { cwd })).toEqual({
      code: 2,
      stdout: "",
      stderr: "dubwright: film.srt: not a folder; pass the folder with the subtitles\n"
    })
  })

  test("init names the folder that it cannot create", async () => {
    const { code, stderr } = await runHere(["init", "/proc/none/film"])
    expect(code).toBe(2)
    expect(stderr).toMatch(/^dubwright: \/proc\/none\/film\/dubwright\.yaml: cannot be written: [^\n]+\n$/u)
  })

  test("schema prints JSON that describes the manifest", async () => {
    const { code, stdout, stderr } = await run(["schema"])
    expect([code, stderr]).toEqual([0, ""])
    const schema = JSON.parse(stdout)
    expect(Object.keys(schema.$defs.Manifest.properties)).toEqual([
      "name",
      "service",
      "providers",
      "cast",
      "notify",
      "defaults",
      "jobs"
    ])
  })
})

describe("the service", () => {
  test("serve prints when it listens, keys work meanwhile, and SIGTERM stops it with code 0", async () => {
    const data = join(emptyFolder(), "data")
    const serving = start(["serve", "--port", "0", "--data", data])
    const line = await serving.firstLine
    expect(line).toMatch(/^listening http:\/\/127\.0\.0\.1:\d+$/u)
    const address = line.replace("listening ", "")

    const created = await runHere(["keys", "create", "--data", data, "--name", "studio", "--credits", "1000"])
    expect(created.stdout).toMatch(/^nativeapikey_\S+\n$/u)
    expect([created.code, created.stderr]).toEqual([0, ""])
    const key = created.stdout.trim()
    const imported = await run(["keys", "import", "--data", data, "--name", "older"], {
      input: "an-older-key-0001\n"
    })
    expect([imported.code, imported.stdout]).toEqual([0, ""])

    const granted = await runHere(["keys", "grant", "--data", data, "--account", "1", "--credits", "500"])
    expect([granted.code, granted.stderr]).toEqual([0, "account 1 may spend 1500 credits in total\n"])

    const asked = (words: ReadonlyArray<string>, with_: string) =>
      runHere([...words, "--base-url", address], { env: { DUBWRIGHT_API_KEY: with_ } })
    const credits = await asked(["credits", "--json"], key)
    expect(credits.code).toBe(0)
    expect(JSON.parse(credits.stdout)).toEqual({ credits: 1500, unlimited: false, used: 0, reserved: 0 })
    expect((await asked(["health"], "an-older-key-0001")).code).toBe(0)
    const voices = await asked(["voices", "--json"], key)
    expect(JSON.parse(voices.stdout).length).toBeGreaterThan(100)

    const refused = await asked(["credits"], "a-tool-login")
    expect([refused.code, refused.stdout]).toEqual([4, ""])
    expect(refused.stderr).toMatch(/^dubwright: the service rejected the key[^\n]*\n$/u)
    expect(refused.stderr).not.toContain("a-tool-login")
    const keyless = await runHere(["credits", "--base-url", address])
    expect([keyless.code, keyless.stdout]).toEqual([2, ""])
    expect(keyless.stderr).toContain("set DUBWRIGHT_API_KEY")

    expect((await runHere(["keys", "revoke", "--data", data, "studio"])).code).toBe(0)
    expect((await asked(["credits"], key)).code).toBe(4)
    const list = await runHere(["keys", "list", "--data", data])
    expect(list.stdout).not.toContain(key)
    // Keys without limits leave the last column empty.
    expect(list.stdout.split("\n")[0]).toMatch(/ state +limits$/u)
    expect(list.stdout.split("\n").map((row) => row.trim().split(/ {2,}/u).at(-1))).toEqual([
      "limits",
      "revoked",
      "valid, imported",
      ""
    ])

    serving.child.kill("SIGTERM")
    expect((await serving.ended).code).toBe(0)
  })

  test("doctor names the ffmpeg in use, and how to fix what is wrong", async () => {
    const well = await runHere(["doctor", "--json"])
    expect(well.code).toBe(0)
    const checks: ReadonlyArray<{ name: string }> = JSON.parse(well.stdout)
    expect(checks.map(({ name }) => name)).toEqual(["Node", "ffmpeg", "State folder", "Service", "Key"])
    const wrong = await runHere(["doctor"], { env: { DUBWRIGHT_FFMPEG: "/nowhere/ffmpeg" } })
    expect(wrong.code).toBe(2)
    expect(wrong.stdout).toContain("/nowhere/ffmpeg")
    expect(wrong.stdout).toContain("→ set DUBWRIGHT_FFMPEG to an ffmpeg that runs")
    expect(wrong.stdout).toMatch(/Service +bundled service: not started, because it needs ffmpeg\n$/u)
    const keyless = await runHere(["doctor", "--base-url", "http://127.0.0.1:1"])
    expect(keyless.stdout).toMatch(
      /Key +DUBWRIGHT_API_KEY is not set\n +→ export DUBWRIGHT_API_KEY=… with the service's key\n$/u
    )
  })

  test("doctor prints findings at once, and which service it waits for", async () => {
    const mute = createServer(() => {})
    await new Promise<void>((ready) => mute.listen(0, "127.0.0.1", ready))
    const address = mute.address()
    const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
    const env = { DUBWRIGHT_API_KEY: "key" }
    const { code, stdout, stderr } = await runHere(["doctor", "--base-url", url], { env })
    mute.closeAllConnections()
    mute.close()
    expect(code).toBe(2)
    expect(stderr).toContain(`waiting for ${url}, up to 8 seconds`)
    expect(stdout).toMatch(/^✓ Node .*\n✓ ffmpeg .*\n. State folder .*\n✗ Service /u)
  })

  test("doctor reports why a service does not respond", async () => {
    const env = { DUBWRIGHT_API_KEY: "nativeapikey_none" }
    const { code, stdout } = await runHere(["doctor", "--base-url", "http://127.0.0.1:1"], { env })
    expect(code).toBe(2)
    expect(stdout).toMatch(/Service +http:\/\/127\.0\.0\.1:1: the service is unreachable: .*ECONNREFUSED/u)
    expect(stdout).toMatch(/Key +not checked: the service does not respond\n$/u)
  })
})
