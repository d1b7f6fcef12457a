import { execFileSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { beforeAll, describe, expect, test } from "vitest"
import { encodeWav16 } from "../../src/audio/formats/Wav.ts"
import { deliveryRate } from "../../src/domain/time/Units.ts"
import { runHere } from "./cli/inProcess.ts"
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
  file("film.odt", "PK")
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
    "    nativeInput: srt",
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
  mkdirSync(join(folder, "episodes"))
  file("endless.srt", cues)
  truncateSync(join(folder, "endless.srt"), 2 ** 33)
  file("bytes.yaml", Uint8Array.from([0x6e, 0x61, 0x6d, 0x65, 0x3a, 0x20, 0xff, 0xfe]))
})

/** Cases: a title, the arguments of `run`, and the error line. */
const faults: ReadonlyArray<readonly [string, ReadonlyArray<string>, RegExp]> = [
  ["a missing file", ["nowhere.srt"], /nowhere\.srt.*no such file/u],
  ["a missing manifest", ["nowhere.yaml"], /^dubwright: nowhere\.yaml: no such file/u],
  ["a file missing in a manifest", ["missing.yaml"], /^dubwright: missing\.yaml.*nowhere\.srt/u],
  [
    "a glob that matches nothing",
    ["no-match.yaml"],
    /^dubwright: no-match\.yaml.*subs\/\*\.srt: no file matches/u
  ],
  ["an empty file", ["empty.srt"], /^dubwright: empty\.srt:1: .*empty/u],
  ["a binary file", ["picture.srt"], /^dubwright: picture\.srt:1: .*PNG/u],
  [
    "a cue weeks away",
    ["far.srt"],
    /^dubwright: far\.srt: cue 1 starts after 1000 hours; the limit is 500 hours/u
  ],
  ["an unknown extension", ["film.xyz"], /^dubwright: film\.xyz: expected a manifest \(.*\) or a script/u],
  [
    "an unsupported format",
    ["film.odt"],
    /^dubwright: film\.odt: OpenDocument texts are not supported; .* pandoc film\.odt -o film\.md/u
  ],
  [
    "a damaged document",
    ["film.docx"],
    /^dubwright: film\.docx:1: the file is not a \.docx document, or is damaged; save it again/u
  ],
  ["a folder", ["season.srt"], /^dubwright: season\.srt: a folder, not a file/u],
  [
    "a folder without an ending",
    ["episodes"],
    /^dubwright: episodes: a folder, not a file; name its files, such as "episodes\/\*\.srt"/u
  ],
  ["a pipe", ["pipe.en.srt"], /^dubwright: pipe\.en\.srt: a pipe or device, not a file; save its output/u],
  ["a manifest that is a pipe", ["pipe.yaml"], /^dubwright: pipe\.yaml: a pipe or device/u],
  ["a sheet that is a pipe", ["piped.yaml"], /^dubwright: pipe\.en\.srt: a pipe or device/u],
  ["a video that is a pipe", ["piped-video.yaml"], /pipe\.en\.srt: job .*video: a pipe or device/u],
  ["an overrides file that is a pipe", ["wished.yaml"], /wished\.yaml\.overrides\.yaml: a pipe or device/u],
  [
    "a link that points to itself",
    ["round.yaml"],
    /^dubwright: round\.yaml: a symbolic link that points back to itself/u
  ],
  [
    "a file that is too large",
    ["endless.srt"],
    /^dubwright: endless\.srt: 8589934592 bytes is too large for a text file; the limit is 33554432 bytes/u
  ],
  ["an unknown encoding", ["encoding.yaml"], /klingon/u],
  ["a manifest that is not UTF-8", ["bytes.yaml"], /^dubwright: bytes\.yaml:1: not UTF-8/u],
  [
    "maxSpeed above hardMaxSpeed",
    ["hurried.yaml"],
    /^dubwright: hurried\.yaml: jobs\[0\]\.fit: maxSpeed 1\.5 is above the hard limit, hardMaxSpeed 1\.4; lower/u
  ],
  [
    "an unknown provider",
    ["provider.yaml"],
    /unknown provider "provider_nativ"; did you mean provider_native\?/u
  ],
  ["speed for a provider without it", ["speed.yaml"], /^dubwright: speed\.yaml.*speed.*provider_fast/u],
  ["two jobs with one id", ["twice.yaml"], /^dubwright: twice\.yaml: 2 jobs have the id "a"/u],
  [
    "a job id that leaves the output folder",
    ["climbs.yaml"],
    /^dubwright: climbs\.yaml:3: jobs\[0\]\.id: .*must not contain slashes/u
  ],
  [
    "a misspelt key",
    ["typo.yaml"],
    /^dubwright: typo\.yaml:4: jobs\[0\]\.voise: unknown key; did you mean voice\?/u
  ],
  [
    "a value of another type",
    ["type.yaml"],
    /^dubwright: type\.yaml:3: jobs\[0\]\.fit\.maxSpeed: expected .*number/u
  ],
  [
    "an unknown output",
    ["choice.yaml"],
    /^dubwright: choice\.yaml:3: jobs\[0\]\.outputs\[1\]: .*mp5.*did you mean/u
  ],
  [
    "maxChars too low for any word",
    ["room.yaml"],
    /^dubwright: film\.en\.srt:2: cue 1: maxChars of provider_native leaves no room for words besides the SRT times/u
  ],
  ["invalid YAML", ["torn.yaml"], /^dubwright: torn\.yaml:\d+: invalid YAML or JSON/u],
  [
    "an unknown alias",
    ["alias.yaml"],
    /^dubwright: alias\.yaml:2: invalid YAML .*\*none is an unknown alias;/u
  ],
  ["an alias bomb", ["aliases.yaml"], /^dubwright: aliases\.yaml:1: invalid YAML .*alias count/u],
  ["a list instead of a manifest", ["list.yaml"], /^dubwright: list\.yaml:1: expected a manifest/u],
  ["a manifest without jobs", ["none.yaml"], /^dubwright: none\.yaml:1: jobs: expected at least one/u],
  ["a line without a voice", ["no-voice.yaml"], /^dubwright: film\.en\.srt.*voice/u],
  ["an mp4 without a video", ["no-video.yaml"], /mp4 needs a video/u],
  [
    "a video codec that the container does not support",
    ["no-webm.yaml"],
    /last-ferry\.mp4: job .*webm cannot hold h264 video.*use mp4 or mov or mkv instead/u
  ],
  [
    "a video without a video stream",
    ["no-picture.yaml"],
    /tone\.wav: job .*video: the file has no picture, which mp4 needs/u
  ],
  ["a missing video", ["lost-video.yaml"], /lost\.mp4.*no such file/u],
  ["a filter that matches no job", ["film.en.srt", "--only", "ep*"], /no job id matches --only ep\*/u],
  ["two manifests", ["typo.yaml", "twice.yaml"], /expected one manifest/u]
]

describe("unusable input", () => {
  test.each(faults)("%s", async (_, words, line) => {
    const { code, stdout, stderr } = await runHere(["run", ...words], { cwd: folder })
    expect([code, stdout]).toEqual([2, ""])
    expect(stderr).toMatch(/^dubwright: [^\n]+\n$/u)
    expect(stderr.trimEnd()).toMatch(line)
    expect(stderr).not.toMatch(/\n\s+at |node:internal|\.mjs:\d+|\/src\//u)
    expect(existsSync(join(folder, ".dubwright")), "no state").toBe(false)
    expect(existsSync(join(folder, "out")), "no output").toBe(false)
  })

  test("reports every error, not only the first", async () => {
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

test("an unfit film fails its job only, and plan exits as run does", async () => {
  const cwd = emptyFolder()
  writeFileSync(join(cwd, "film.en.srt"), cues)
  copyFileSync(join(folder, "tone.wav"), join(cwd, "tone.wav"))
  const job = (id: string, more: string) => `  - { id: ${id}, input: film.en.srt, ${more} }`
  writeFileSync(
    join(cwd, "m.yaml"),
    [
      "defaults: { provider: provider_fast, voice: fast-en-us }",
      "jobs:",
      job("fit", "outputs: [srt]"),
      job("codec", `video: ${JSON.stringify(ferry)}, outputs: [webm]`),
      job("sound", "video: tone.wav, outputs: [mp4]"),
      job("lost", "video: lost.mp4")
    ].join("\n")
  )
  const planned = await runHere(["plan", "m.yaml"], { cwd })
  const made = await runHere(["run", "m.yaml"], { cwd })
  expect([planned.code, made.code], planned.stderr).toEqual([3, 3])
  for (const fault of [/webm cannot hold h264/u, /tone\.wav: .*no picture/u, /lost\.mp4: .*no such file/u]) {
    expect(planned.stderr).toMatch(fault)
    expect(made.stdout).toMatch(fault)
  }
  expect(made.stdout).toMatch(/^fit +delivered/mu)
})

describe("unusable folders", () => {
  const words = ["run", "film.en.srt", "--embedded", "--provider", "provider_fast", "--voice", "fast-en-us"]
  test.each([
    [
      "an output folder inside a file",
      ["--out", "film.en.srt/out"],
      /^dubwright: .*film\.en\.srt\/out: cannot be written: ENOTDIR/u
    ],
    [
      "an output folder that cannot be created",
      ["--out", "/proc/none/out"],
      /^dubwright: \/proc\/none\/out: cannot be written: ENOENT/u
    ],
    [
      "a state folder that cannot be created",
      ["--state", "/proc/none"],
      /^dubwright: \/proc\/none: can no longer be reached/u
    ]
  ])("%s", async (_, more, line) => {
    const cwd = emptyFolder()
    writeFileSync(join(cwd, "film.en.srt"), cues)
    const { code, stdout, stderr } = await runHere([...words, ...more, "--events"], { cwd })
    expect([code, stdout]).toEqual([2, ""])
    const told = stderr.trimEnd().split("\n")
    expect(JSON.parse(told.at(-1) ?? "")).toMatchObject({
      event: "Said",
      message: expect.stringMatching(line)
    })
    expect(
      told.some((event) => event.includes("Submitted")),
      "no tasks created"
    ).toBe(false)
  })
})

describe("errors that only the service can find", () => {
  test("reports at once that the service is unreachable, and Ctrl-C stops waiting", async () => {
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
        if (text.includes("ECONNREFUSED 127.0.0.1:9); retrying for 8 seconds")) tell()
      })
    })
    await Promise.race([told, running.ended])
    running.child.kill("SIGINT")
    expect((await running.ended).code).toBe(130)
  })

  test("rejects an unknown voice before creating any task", async () => {
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
