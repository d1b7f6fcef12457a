/**
 * The net: a run of about 30 small jobs, with every output and most settings, and a second run after an edit. Results
 * are compared with `results.txt`: a line for each job and kind of file. `DUBWRIGHT_NET=write` rewrites that file.
 */
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "@effect/vitest"
import { Context, Effect, Either, Layer } from "effect"
import { encodeWav16, readWav } from "../../src/audio/formats/Wav.ts"
import { timelineNames } from "../../src/domain/manifest/Outputs.ts"
import { SampleRate } from "../../src/domain/time/Units.ts"
import { TaskId } from "../../src/domain/values/Ids.ts"
import { Refused } from "../../src/gateway/GatewayErrors.ts"
import { Gateway } from "../../src/gateway/Gateway.ts"
import { runPlan } from "../../src/pipeline/Dub.ts"
import { loadBatch } from "../../src/pipeline/load/BatchLoader.ts"
import { planRun } from "../../src/pipeline/plan/BatchPlan.ts"
import { bundledFfmpeg } from "../ffmpeg/binaries.ts"
import { ffmpeg, video } from "../ffmpeg/media.ts"
import { babble } from "../hostile/Babble.ts"
import { temporaryFolder } from "../hostile/Batch.ts"
import { fieldsOf, standIn, stored } from "../pipeline/StandIn.ts"

const long = "We really ought to leave this old house tonight, and drive to the coast."

/** An SRT of these texts, two seconds each. */
const srtOf = (...texts: ReadonlyArray<string>): string =>
  texts
    .map((text, at) => `${at + 1}\n00:00:0${2 * at},100 --> 00:00:0${2 * at + 1},900\n${text}\n`)
    .join("\n")

const film = { video: "film.mp4", sync: "off" }
const narration = "# The harbour\n\nNobody came. The lamps were out.\n\nWe waited for an hour.\n"

/** The jobs by name. `text` replaces the usual subtitle. */
const jobs: Readonly<Record<string, { readonly text?: string; readonly [setting: string]: unknown }>> = {
  plain: {},
  shares: { audio: { rate: 44_100, depth: 24 } },
  fast: { text: srtOf(long, "Come in."), fit: { maxSpeed: 1.1, hardMaxSpeed: 1.2 } },
  slow: { text: srtOf("Yes.", "No, not yet."), fit: { minSpeed: 0.85 } },
  strict: { text: srtOf(long, long), fit: { early: 0, late: 0 } },
  free: { text: srtOf(long, "All is well."), fit: { early: 2, late: 2 }, verify: true },
  retaken: { text: srtOf(long, "All is well."), fit: { retake: true } },
  proposed: { text: srtOf(long), rewrite: { command: ["node", "shorten.cjs"] } },
  rewritten: {
    text: srtOf(long, "Rewritten."),
    rewrite: { command: ["node", "shorten.cjs"], accept: true }
  },
  heard: {
    text: srtOf("Nobody said a word about it."),
    listen: { command: ["node", "hear.cjs", "{audio}"] }
  },
  everything: {
    text: srtOf(long, "A line of this job alone."),
    fit: { retake: true },
    rewrite: { command: ["node", "shorten.cjs"], accept: true },
    listen: { command: ["node", "hear.cjs", "{audio}"], reroll: false }
  },
  taken: { text: srtOf("One cue.", "And another.", "The last.") },
  split: { text: srtOf("One cue with two sentences. It is split.", "The other.") },
  sentences: { text: srtOf("This sentence goes on", "in the next cue.", "It ends."), unit: "sentence" },
  voices: {
    text: srtOf("ANNA: Who is there?", "BEN: Only me.", "- Come in.\n- Thanks."),
    speakers: { ANNA: { voice: "v2", pan: -0.5 }, BEN: { voice: "v3", pan: 0.5 } }
  },
  lexicon: { text: srtOf("Dr. Li [laughs] met ABC."), lexicon: [{ word: "ABC", say: "A B C" }] },
  vietnamese: { text: srtOf("Trời mưa suốt đêm.", "Cảng rất yên tĩnh."), language: "vi" },
  arabic: { text: srtOf("الميناء هادئ.", "لم يأت أحد."), language: "ar", outputs: ["wav", "ttml"] },
  japanese: {
    text: srtOf("港は静かです。", "誰も来ませんでした。"),
    language: "ja",
    outputs: ["wav", "vtt"]
  },
  narrated: { input: "narrated.md", text: narration, pauses: { paragraph: 0.5 } },
  silent: { text: srtOf("All is well.", "This is unspeakable."), onFailure: "silence" },
  failing: { text: srtOf("All is well.", "This is unspeakable.") },
  bed: { background: { file: "bed.wav", duck: true }, loudness: -20 },
  loud: { loudness: "none", background: "bed.wav" },
  compressed: { outputs: ["flac", "m4a", "mp3", "opus"], tags: { artist: "Nobody" } },
  subtitles: { outputs: ["srt", "vtt", "ttml", "adr"] },
  stems: {
    text: srtOf("ANNA: Who is there?", "BEN: Only me."),
    outputs: ["stems", "clips"],
    delivery: "podcast"
  },
  timelines: { outputs: [...timelineNames], timeline: { frameRate: 25, start: "01:00:00:00" } },
  dubbed: { ...film, outputs: ["mp4", "wav"], original: "duck" },
  boxed: { ...film, outputs: ["mkv", "mov"], original: "drop" },
  held: { ...film, text: srtOf(long, long), outputs: ["mp4", "wav", "otio"], fit: { picture: "hold" } },
  slowed: { ...film, text: srtOf(long), outputs: ["mkv", "wav", "edl"], fit: { picture: "slow" } },
  synced: { video: "film.mp4", outputs: ["mov", "srt"], fit: { follow: "speech" } },
  track: { ...film, into: "both.mkv", outputs: ["wav", "srt"], language: "de" },
  edited: { text: srtOf("This will change.", "This will not.", "Nor will this.") }
}

/** Speaks with babble, faster if asked to, and refuses unspeakable words. */
const service = Layer.map(standIn(0), (context) => {
  const gateway = Context.get(context, Gateway)
  const texts = new Map<TaskId, string>()
  return Context.make(Gateway, {
    ...gateway,
    submit: ({ body }) => {
      const { text, speed = 1 } = fieldsOf(body)
      if (text.includes("unspeakable")) return new Refused({ reason: "rules", words: "unspeakable" })
      const task = TaskId.make(hash(body))
      texts.set(task, text.slice(0, Math.ceil(text.length / speed)))
      return Effect.succeed({ task, credits: 5 })
    },
    fetch: ({ task }) => Effect.succeed({ audio: babble(texts.get(task) ?? ""), transcript: undefined })
  })
})

const hash = (data: string | Uint8Array): string =>
  createHash("sha256").update(data).digest("hex").slice(0, 12)

/** The files below a folder but pages, which show what report.json says. */
const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => !["", ".html"].includes(extname(name)))
    .sort()

/** What a file says. Of a lossy one only its presence counts, because its samples depend on the processor. */
const contentOf = (path: string, folder: string): Effect.Effect<string> => {
  const kind = extname(path)
  if (/\.(?:m4a|mp3|opus|mp4|mkv|mov|xlsx)$/u.test(kind)) return Effect.succeed("is there")
  if (kind === ".flac") return Effect.map(decoded(path), samplesOf)
  const bytes = readFileSync(path)
  if (kind === ".wav") return Effect.succeed(samplesOf(bytes))
  // Dates, durations, ids and versions differ from run to run, or from release to release.
  const text = bytes.toString("utf8").replaceAll(folder, "")
  return Effect.succeed(
    text.replaceAll(
      /"(?:startedAt|seconds|digest|utterance|version|created|time|key)": ?"?[^",\n]*"?|\bdubwright\/?[ ]?\d+\.\d+\.\d+[-\w.]*/gu,
      ""
    )
  )
}

const decoded = (path: string) =>
  Effect.map(ffmpeg("-i", path, `${path}.pcm.wav`), () => readFileSync(`${path}.pcm.wav`)).pipe(Effect.orDie)

const samplesOf = (bytes: Uint8Array): string => {
  const { channels, rate, timeReference = 0 } = Either.getOrThrow(readWav(bytes))
  const hashes = channels.map(({ buffer }) => hash(new Uint8Array(buffer)))
  return `${rate} Hz from ${timeReference}: ${hashes.join(" ")}`
}

/** A line for each job and kind of file. */
const linesOf = Effect.fnUntraced(function* (folder: string, only = "") {
  const lines = new Map<string, ReadonlyArray<string>>()
  for (const name of filesIn(join(folder, "out"))) {
    const [job = ""] = name.split("/")
    if (only !== "" && job !== only) continue
    const part = `${job} ${name.includes("/") ? extname(name) : ""}`
    const content = `${name}\n${yield* contentOf(join(folder, "out", name), folder)}`
    lines.set(part, [...(lines.get(part) ?? []), content])
  }
  return [...lines].map(([part, contents]) => `${part} ${contents.length} ${hash(contents.join("\n"))}`)
})

it.scopedLive("the results of every job are those of the net", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    yield* video(join(folder, "film.mp4"), { seconds: 6 })
    writeFileSync(join(folder, "bed.wav"), bed(6))
    writeFileSync(join(folder, "shorten.cjs"), 'console.log("We ought to leave tonight.")')
    writeFileSync(join(folder, "hear.cjs"), 'console.log("Nobody said a word.")')
    for (const [
      id,
      { input = `${id}.srt`, text = srtOf("All is well.", `This is ${id}.`, "Come in.") }
    ] of Object.entries(jobs))
      writeFileSync(join(folder, String(input)), text)
    const manifest = join(folder, "net.json")
    writeFileSync(
      manifest,
      JSON.stringify({
        service: { baseUrl: "http://127.0.0.1:9" },
        providers: { provider_fast: { controls: { speed: { min: 0.5, max: 2 } }, creditsPerCharacter: 1 } },
        defaults: { provider: "provider_fast", voice: "v1", language: "en" },
        jobs: Object.entries(jobs).map(([id, { text: _, ...settings }]) => ({
          id,
          input: `${id}.srt`,
          outputs: ["wav", "srt"],
          ...settings
        }))
      })
    )
    const split = [{ say: "It is split.", start: 1.2 }]
    const overrides = {
      taken: { 1: { say: "One cue, and another.", takes: [{ cue: 2 }] } },
      split: { 1: { say: "One cue with two sentences.", split }, 2: { shift: 0.4 } }
    }
    writeFileSync(`${manifest}.overrides.yaml`, JSON.stringify({ jobs: overrides }))
    const run = Effect.gen(function* () {
      return yield* runPlan(yield* planRun(yield* loadBatch([manifest], {})), yield* Layer.memoize(service))
    }).pipe(Effect.provide([stored(join(folder, ".dubwright")), bundledFfmpeg]))

    yield* run
    const first = yield* linesOf(folder)
    const rewritten = readFileSync(`${manifest}.overrides.yaml`, "utf8")
    writeFileSync(join(folder, "edited.srt"), srtOf("This has changed.", "This will not.", "Nor will this."))
    const { report } = yield* run
    const again = (yield* linesOf(folder, "edited")).map((line) => `again ${line}`)
    const { tasks, jobs: ends, warnings } = report
    const lines = [
      ...first,
      `overrides ${hash(rewritten)}`,
      ...again,
      JSON.stringify({ tasks, ends, warnings })
    ]
    const net = fileURLToPath(new URL("results.txt", import.meta.url))
    if (process.env["DUBWRIGHT_NET"] === "write") writeFileSync(net, `${lines.join("\n")}\n`)
    expect(lines).toEqual(existsSync(net) ? readFileSync(net, "utf8").trimEnd().split("\n") : [])
  })
)

/** A quiet tone in stereo. */
const bed = (seconds: number): Uint8Array => {
  const rate = SampleRate.make(48_000)
  return encodeWav16({
    rate,
    samples: Float32Array.from({ length: seconds * rate }, (_, at) => ((at % 200) - 100) / 2_000)
  })
}
