/** The sources, threads and programs that a command loads and starts. `bench/startup.ts` has the times. */
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"
import { expect, test } from "vitest"
import { emptyFolder, start } from "../process.ts"

const Coverage = Schema.parseJson(
  Schema.Struct({ result: Schema.Array(Schema.Struct({ url: Schema.String })) })
)
const SourceMap = Schema.parseJson(Schema.Struct({ sources: Schema.Array(Schema.String) }))

/** Runs a command and returns the sources in the bundles that it loaded, its threads, and whether it started ffmpeg. */
const loadedBy = async (...words: ReadonlyArray<string>) => {
  const cwd = emptyFolder()
  writeFileSync(join(cwd, "film.srt"), "1\n00:00:01,000 --> 00:00:04,000\nThe ferry has left.\n")
  writeFileSync(join(cwd, "cafe.srt"), "1\n00:00:01,000 --> 00:00:04,000\nLe café.\n", "latin1")
  const ffmpeg = join(cwd, "ffmpeg")
  const started = join(cwd, "started")
  writeFileSync(ffmpeg, `#!/bin/sh\n: > ${started}\necho ffmpeg version 7.0\n`)
  chmodSync(ffmpeg, 0o755)
  const coverage = join(cwd, "coverage")
  // Node writes a file for each thread, with the modules that the thread has loaded. It omits modules from the cache of
  // compiled code, so that cache is disabled.
  const env = { NODE_V8_COVERAGE: coverage, NODE_DISABLE_COMPILE_CACHE: "1", DUBWRIGHT_FFMPEG: ffmpeg }
  const { code, stdout, stderr } = await start([...words], { cwd, env }).ended
  expect(code, stderr).toBe(0)
  const threads = readdirSync(coverage)
  const bundles = threads.flatMap((file) =>
    Schema.decodeUnknownSync(Coverage)(readFileSync(join(coverage, file), "utf8")).result.flatMap(
      ({ url }) =>
        url.startsWith("file:") && existsSync(`${fileURLToPath(url)}.map`) ? [fileURLToPath(url)] : []
    )
  )
  const sources = bundles.flatMap((file) =>
    Schema.decodeUnknownSync(SourceMap)(readFileSync(`${file}.map`, "utf8")).sources.map((source) =>
      relative(resolve("."), resolve(dirname(file), source))
    )
  )
  return { sources, threads: threads.length, ffmpeg: existsSync(started), stdout }
}

/** The sources in any of these folders and packages. */
const within = (sources: ReadonlyArray<string>, ...places: ReadonlyArray<string>) =>
  sources.filter((source) => places.some((place) => source.startsWith(`${place}/`)))

/** Modules that are only needed for requests to a service, for media or for an engine. */
const heavy = [
  ...[
    "undici",
    "fluent-ffmpeg",
    "wavesurfer.js",
    "bullmq",
    "ioredis",
    "fast-xml-builder",
    "libxml2-wasm"
  ].map((name) => `node_modules/${name}`),
  ...["src/engines", "src/service/http", "src/service/tasks", "src/fleet/worker", "src/gateway/requests"],
  ...["src/ffmpeg/decode", "src/pages/browser", "src/app/review"]
]

test("--version loads the version alone", async () => {
  const { sources, threads } = await loadedBy("--version")
  expect(within(sources, "node_modules", "src/pipeline", "src/library")).toEqual([])
  expect(sources).toContain("src/domain/values/Version.ts")
  expect(threads).toBe(1)
})

test("--help loads no command's work, and no parser of manifests", async () => {
  const { sources, threads, stdout } = await loadedBy("--help")
  expect(stdout).toContain("dubwright")
  expect(
    within(sources, ...heavy, "src/library", "src/settings", "src/pages/documents", "node_modules/yaml")
  ).toEqual([])
  expect(sources).toContain("src/app/Program.ts")
  expect(threads).toBe(1)
})

/** Modules that are not needed to plan a UTF-8 subtitle without a manifest and without state. */
const idle = [
  ...["yaml", "iconv-lite", "chardet", "picomatch", "fast-check", "split2", "find-my-way-ts"],
  "@effect/sql-sqlite-node"
].map((name) => `node_modules/${name}`)

/**
 * Small modules without packages: they know voices and what these can read, identify a rewriter, and read the header of
 * a WAV file.
 */
const known = [
  "src/engines/BundledVoices.ts",
  "src/engines/EspeakPackage.ts",
  "src/engines/helpers/HelperFailed.ts",
  "src/engines/neural/SherpaPackage.ts",
  ...["InstalledVoices", "VoiceCatalogue", "VoiceFault", "VoiceRecord"].map(
    (name) => `src/engines/voices/${name}.ts`
  ),
  "src/engines/rewriting/Rewriter.ts",
  "src/engines/text/UnsupportedScript.ts",
  "src/ffmpeg/decode/WavFile.ts"
].toSorted()

test("plan of a subtitle starts no ffmpeg, no engine and no service", async () => {
  const { sources, threads, ffmpeg, stdout } = await loadedBy("plan", "film.srt", "--embedded")
  expect(stdout).toContain("1 task would be created on the bundled service.")
  expect(within(sources, ...heavy, ...idle).toSorted()).toEqual(known)
  expect(sources).toContain("src/pipeline/plan/BatchPlan.ts")
  expect(sources).not.toContain("src/store/state/StateDatabase.ts")
  expect({ threads, ffmpeg }).toEqual({ threads: 1, ffmpeg: false })
})

test("plan of a subtitle in a code page loads the code pages", async () => {
  const { sources, stdout } = await loadedBy("plan", "cafe.srt", "--embedded", "--verbose")
  expect(stdout).toContain("1 task would be created on the bundled service.")
  expect(within(sources, "node_modules/iconv-lite").length).toBeGreaterThan(0)
})

test("voices and models of the bundled service are known without starting it", async () => {
  const { sources, threads, ffmpeg, stdout } = await loadedBy(
    "voices",
    "--embedded",
    "--search",
    "vietnamese"
  )
  expect(stdout).toContain("vi-anna")
  expect(within(sources, ...heavy.filter((place) => place !== "src/engines"), "src/engines/local")).toEqual(
    []
  )
  expect({ threads, ffmpeg }).toEqual({ threads: 1, ffmpeg: false })
})
