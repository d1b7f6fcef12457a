import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { beforeAll, describe, expect, test } from "vitest"
import { encodeWav16 } from "../../src/audio/formats/Wav.ts"
import { deliveryRate } from "../../src/domain/time/Units.ts"
import { emptyFolder, run, start } from "./process.ts"

const folder = emptyFolder()
const ferry = fileURLToPath(new URL("../../fixtures/last-ferry.mp4", import.meta.url))
const cues = "1\n00:00:01,000 --> 00:00:03,000\nHello there.\n"
const file = (name: string, content: string | Uint8Array): void => {
  mkdirSync(join(folder, name, ".."), { recursive: true })
  writeFileSync(join(folder, name), content)
}
const manifest = (name: string, ...lines: ReadonlyArray<string>): void => file(name, `${lines.join("\n")}\n`)

beforeAll(() => {
  file("film.en.srt", cues)
  file("empty.srt", "")
  file(
    "picture.srt",
    Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52])
  )
  file("latin.en.srt", Buffer.from(cues.replace("there", "caf\u00e9"), "latin1"))
  file("far.srt", cues.replaceAll("00:00:0", "1000:00:0"))
  file("film.docx", "PK")
  const job = ["jobs:", "  - input: film.en.srt"]
  manifest("missing.yaml", "jobs:", "  - input: nowhere.srt")
  manifest("no-match.yaml", "jobs:", '  - input: "subs/*.srt"')
  manifest("provider.yaml", ...job, "    provider: provider_nativ", "    voice: en-anna")
  manifest("speed.yaml", ...job, "    provider: provider_fast", "    voice: fast-en-us", "    speed: 1.2")
  manifest("twice.yaml", ...job, "    id: a", "  - input: film.en.srt", "    id: A")
  manifest("climbs.yaml", ...job, "    id: ../../evil")
  manifest("typo.yaml", "name: x", ...job, "    voise: en-anna")
  manifest("type.yaml", ...job, "    fit: { maxSpeed: fast }")
  manifest("hurried.yaml", "defaults: { fit: { maxSpeed: 1.5 } }", ...job, "    fit: { hardMaxSpeed: 1.4 }")
  manifest("choice.yaml", ...job, "    outputs: [wav, mp5]")
  manifest(
    "room.yaml",
    "providers: { provider_native: { maxChars: 5 } }",
    ...job,
    "    provider: provider_native",
    "    voice: en-anna"
  )
  manifest("torn.yaml", "name: 'x")
  manifest("alias.yaml", "name: x", "jobs: *none")
  manifest(
    "aliases.yaml",
    "a: &a [x, x, x, x, x, x, x, x, x, x]",
    "b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]",
    "c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]",
    "jobs: [*c]"
  )
  manifest("list.yaml", "- input: film.en.srt")
  manifest("none.yaml", "jobs: []")
  manifest(
    "no-voice.yaml",
    "service: { baseUrl: https://tts.example }",
    ...job,
    "    provider: provider_fast"
  )
  manifest("no-video.yaml", ...job, "    outputs: [mp4]")
  manifest("no-webm.yaml", ...job, `    video: ${JSON.stringify(ferry)}`, "    outputs: [webm]")
  manifest("no-picture.yaml", ...job, "    video: tone.wav", "    outputs: [mp4]")
  file("tone.wav", encodeWav16({ rate: deliveryRate, samples: new Float32Array(48_000) }))
  manifest("lost-video.yaml", ...job, "    video: lost.mp4")
  manifest("encoding.yaml", "jobs:", "  - input: latin.en.srt", "    encoding: klingon")
  for (const pipe of ["pipe.en.srt", "pipe.yaml", "wished.yaml.overrides.yaml"])
    execFileSync("mkfifo", [join(folder, pipe)])
  manifest("wished.yaml", ...job)
  manifest("piped.yaml", ...job, "    sheet: pipe.en.srt")
  manifest("piped-video.yaml", ...job, "    video: pipe.en.srt")
  symlinkSync("round.yaml", join(folder, "round.yaml"))
  mkdirSync(join(folder, "season.srt"))
  file("endless.srt", cues)
  truncateSync(join(folder, "endless.srt"), 2 ** 33)
  file("bytes.yaml", Uint8Array.from([0x6e, 0x61, 0x6d, 0x65, 0x3a, 0x20, 0xff, 0xfe]))
})

/** The file that each fault names, what its line says, and the words that lead there. */
const faults: ReadonlyArray<readonly [string, ReadonlyArray<string>, RegExp]> = [
  ["a missing file", ["nowhere.srt"], /nowhere\.srt.*no such file/u],
  ["a missing manifest", ["nowhere.yaml"], /^dubwright: nowhere\.yaml: no such file/u],
  ["a file missing in a manifest", ["missing.yaml"], /^dubwright: missing\.yaml.*nowhere\.srt/u],
  [
    "a glob that matches nothing",
    ["no-match.yaml"],
    /^dubwright: no-match\.yaml.*no file matches subs\/\*\.srt/u
  ],
  ["an empty file", ["empty.srt"], /^dubwright: empty\.srt:1: .*empty/u],
  ["a binary file", ["picture.srt"], /^dubwright: picture\.srt:1: .*PNG/u],
  [
    "a cue weeks away",
    ["far.srt"],
    /^dubwright: far\.srt: cue 1 starts after 1000 hours: expected a time below 500/u
  ],
  ["a format that is none", ["film.xyz"], /^dubwright: film\.xyz: expected a manifest \(.*\) or a script/u],
  [
    "a format that is not read",
    ["film.docx"],
    /^dubwright: film\.docx: Word documents are not read: .* pandoc film\.docx -o film\.md/u
  ],
  ["a folder", ["season.srt"], /^dubwright: season\.srt: a folder, not a file/u],
  ["a pipe", ["pipe.en.srt"], /^dubwright: pipe\.en\.srt: a pipe or a device, not a file: write what/u],
  ["a manifest that is a pipe", ["pipe.yaml"], /^dubwright: pipe\.yaml: a pipe or a device/u],
  ["a sheet that is a pipe", ["piped.yaml"], /^dubwright: pipe\.en\.srt: a pipe or a device/u],
  ["a video that is a pipe", ["piped-video.yaml"], /pipe\.en\.srt: job .*video: a pipe or a device/u],
  ["changes that are a pipe", ["wished.yaml"], /wished\.yaml\.overrides\.yaml: a pipe or a device/u],
  ["a link that leads nowhere", ["round.yaml"], /^dubwright: round\.yaml: a link that leads back to itself/u],
  [
    "a file far too long",
    ["endless.srt"],
    /^dubwright: endless\.srt: 8589934592 bytes, which is too much for a text: expected at most 33554432/u
  ],
  ["an encoding that is none", ["encoding.yaml"], /klingon/u],
  ["a manifest that is not UTF-8", ["bytes.yaml"], /^dubwright: bytes\.yaml:1: not UTF-8/u],
  [
    "a speed above the one that is never passed",
    ["hurried.yaml"],
    /^dubwright: hurried\.yaml: jobs\[0\]\.fit: maxSpeed 1\.5 lies above hardMaxSpeed 1\.4, which is never passed/u
  ],
  [
    "an unknown provider",
    ["provider.yaml"],
    /unknown provider "provider_nativ"; did you mean provider_native\?/u
  ],
  ["a speed where there is none", ["speed.yaml"], /^dubwright: speed\.yaml.*speed.*provider_fast/u],
  ["two jobs of one name", ["twice.yaml"], /^dubwright: twice\.yaml: 2 jobs would be called "a"/u],
  ["a result that climbs out", ["climbs.yaml"], /^dubwright: climbs\.yaml:3: jobs\[0\]\.id: .*no slashes/u],
  [
    "a mistyped key",
    ["typo.yaml"],
    /^dubwright: typo\.yaml:4: jobs\[0\]\.voise: unknown key; did you mean voice\?/u
  ],
  [
    "a value of another type",
    ["type.yaml"],
    /^dubwright: type\.yaml:3: jobs\[0\]\.fit\.maxSpeed: expected .*number/u
  ],
  [
    "a choice that is none",
    ["choice.yaml"],
    /^dubwright: choice\.yaml:3: jobs\[0\]\.outputs\[1\]: .*mp5.*did you mean/u
  ],
  [
    "a task too short for any word",
    ["room.yaml"],
    /^dubwright: film\.en\.srt:2: cue 1: maxChars of provider_native leaves no room for a word beside the times of SRT/u
  ],
  ["torn YAML", ["torn.yaml"], /^dubwright: torn\.yaml:\d+: not readable as YAML or JSON/u],
  [
    "an alias of nothing",
    ["alias.yaml"],
    /^dubwright: alias\.yaml:2: not readable .*\*none is an alias of nothing;/u
  ],
  ["aliases without an end", ["aliases.yaml"], /^dubwright: aliases\.yaml:1: not readable .*alias count/u],
  ["a list instead of a manifest", ["list.yaml"], /^dubwright: list\.yaml:1: expected a manifest/u],
  ["a manifest without jobs", ["none.yaml"], /^dubwright: none\.yaml:1: jobs: expected at least one/u],
  ["a line without a voice", ["no-voice.yaml"], /^dubwright: film\.en\.srt.*voice/u],
  ["a video asked for without one", ["no-video.yaml"], /mp4 needs a video/u],
  [
    "a picture that its container does not hold",
    ["no-webm.yaml"],
    /last-ferry\.mp4: job .*webm cannot hold h264 picture as it is.*ask for mp4 or mov or mkv instead/u
  ],
  [
    "a video without a picture",
    ["no-picture.yaml"],
    /tone\.wav: job .*video: holds no picture, which mp4 needs/u
  ],
  ["a video that is not there", ["lost-video.yaml"], /lost\.mp4.*no such file/u],
  ["a filter that matches no job", ["film.en.srt", "--only", "ep*"], /no job's id matches --only ep\*/u],
  ["two manifests", ["typo.yaml", "twice.yaml"], /expected one manifest/u]
]

describe("input that cannot be used", () => {
  test.each(faults)("%s", async (_, words, line) => {
    const { code, stdout, stderr } = await run(["run", ...words], { cwd: folder })
    expect([code, stdout]).toEqual([2, ""])
    expect(stderr).toMatch(/^dubwright: [^\n]+\n$/u)
    expect(stderr.trimEnd()).toMatch(line)
    expect(stderr).not.toMatch(/\n\s+at |node:internal|\.mjs:\d+|\/src\//u)
    expect(existsSync(join(folder, ".dubwright")), "nothing was begun").toBe(false)
    expect(existsSync(join(folder, "out")), "nothing was made").toBe(false)
  })

  test("every fault is told, not only the first", async () => {
    manifest("many.yaml", "nmae: x", "jobs:", "  - input: film.en.srt", "    speed: quick", "    colour: red")
    const { code, stderr } = await run(["plan", "many.yaml"], { cwd: folder })
    expect(code).toBe(2)
    expect(
      stderr
        .trimEnd()
        .split("\n")
        .map((row) => row.replace(/^dubwright: (many\.yaml:\d+).*$/u, "$1"))
        .sort()
    ).toEqual(["many.yaml:1", "many.yaml:4", "many.yaml:5"])
  })
})

describe("folders that cannot be used", () => {
  const words = ["run", "film.en.srt", "--embedded", "--provider", "provider_fast", "--voice", "fast-en-us"]
  test.each([
    [
      "results under a file",
      ["--out", "film.en.srt/out"],
      /^dubwright: .*film\.en\.srt\/out: cannot be written: ENOTDIR/u
    ],
    [
      "results where no folder can be made",
      ["--out", "/proc/none/out"],
      /^dubwright: \/proc\/none\/out: cannot be written: ENOENT/u
    ],
    [
      "state where no folder can be made",
      ["--state", "/proc/none"],
      /^dubwright: \/proc\/none: cannot be reached/u
    ]
  ])("%s", async (_, more, line) => {
    const cwd = emptyFolder()
    writeFileSync(join(cwd, "film.en.srt"), cues)
    const { code, stdout, stderr } = await run([...words, ...more, "--events"], { cwd })
    expect([code, stdout]).toEqual([2, ""])
    const told = stderr.trimEnd().split("\n")
    expect(JSON.parse(told.at(-1) ?? "")).toMatchObject({
      event: "Said",
      message: expect.stringMatching(line)
    })
    expect(
      told.some((event) => event.includes("Submitted")),
      "nothing was paid for"
    ).toBe(false)
  })
})

describe("what only the service knows", () => {
  test("that it is not there is said at once, and Ctrl-C ends the waiting", async () => {
    const cwd = emptyFolder()
    writeFileSync(join(cwd, "film.en.srt"), cues)
    const words = [
      "film.en.srt",
      "--base-url",
      "http://127.0.0.1:9",
      "--provider",
      "provider_fast",
      "--voice",
      "x"
    ]
    const running = start(["run", ...words], { cwd, env: { DUBWRIGHT_API_KEY: "k" } })
    const told = new Promise<void>((tell) => {
      running.child.stderr?.on("data", (text: string) => {
        if (text.includes("ECONNREFUSED 127.0.0.1:9); trying again for 8 seconds")) tell()
      })
    })
    await Promise.race([told, running.ended])
    running.child.kill("SIGINT")
    expect((await running.ended).code).toBe(130)
  })

  test("a voice that it does not have is refused before any task is made", async () => {
    const home = emptyFolder()
    writeFileSync(join(home, "film.en.srt"), cues)
    const words = ["film.en.srt", "--embedded", "--provider", "provider_native", "--voice", "en-ana"]
    const { code, stdout, stderr } = await run(["run", ...words], { cwd: home })
    expect([code, stdout]).toEqual([2, ""])
    expect(stderr).toMatch(/en-ana".*did you mean en-anna\?/u)
    const tasks = await run(["tasks", "--embedded", "--json"], { cwd: home })
    expect(JSON.parse(tasks.stdout)).toEqual([])
  })
})
