/** `separate`: a program makes the background from the film's own sound, once for each film. */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { runHere } from "../cli/inProcess.ts"
import { emptyFolder } from "../process.ts"
import { bundled } from "../../ffmpeg/binaries.ts"

/** Stands in for a separation model: copies the film's sound, counts its runs, and can fail. */
const program = `import { spawnSync } from "node:child_process"
import { appendFileSync } from "node:fs"
const [film, bed, fault] = process.argv.slice(2)
appendFileSync("runs.txt", "x")
if (fault === "fail") { console.error("model not found"); process.exit(4) }
if (fault !== "silent")
  spawnSync(${JSON.stringify(bundled.path)}, ["-v", "error", "-i", film, "-vn", "-ar", fault === "slow" ? "44100" : "48000", bed])
`

const film = (path: string) => {
  const sound = "sine=frequency=300:sample_rate=48000:duration=4"
  const words = ["-v", "error", "-f", "lavfi", "-i", "testsrc=size=160x90:rate=25:duration=4"]
  const codecs = ["-c:v", "mpeg4", "-c:a", "pcm_s16le", path]
  expect(spawnSync(bundled.path, [...words, "-f", "lavfi", "-i", sound, ...codecs]).status).toBe(0)
}

const samplesOf = (path: string): ReadonlyArray<number> => {
  const { stdout } = spawnSync(bundled.path, ["-v", "error", "-i", path, "-vn", "-f", "s16le", "-"])
  return Array.from(new Int16Array(stdout.buffer, stdout.byteOffset, stdout.byteLength / 2))
}

test("lays the film's sound without speech under the voices, made once for all languages", async () => {
  const cwd = emptyFolder()
  film(join(cwd, "film.mov"))
  writeFileSync(join(cwd, "bed.mjs"), program)
  writeFileSync(join(cwd, "a.srt"), "1\n00:00:00,500 --> 00:00:02,000\nOne two three.\n")
  const job = (id: string, ending: string) =>
    `  - { id: ${id}, input: a.srt, video: film.mov, sync: "off", provider: provider_opensource, voice: os-slt, outputs: [wav], ` +
    `separate: { command: ${JSON.stringify([process.execPath, "bed.mjs", "{film}", "{bed}", ending])} } }\n`
  const manifest = (...jobs: ReadonlyArray<string>) =>
    writeFileSync(join(cwd, "m.yaml"), `service: embedded\njobs:\n${jobs.join("")}`)

  manifest(job("x", "fail"), job("y", "silent"), job("z", "slow"))
  const failed = await runHere(["run", "m.yaml"], { cwd })
  expect(failed.code, failed.stderr).toBe(3)
  expect(failed.stdout).toMatch(/^x: film\.mov: job x: separate: .*: exit code 4: model not found$/mu)
  expect(failed.stdout).toMatch(
    /^y: film\.mov: job y: separate: .*: wrote no file; have it write a WAV file to \{bed\}$/mu
  )
  expect(failed.stdout).toContain("z: film.mov: job z: separate: 44100 Hz, but the job's files have 48000 Hz")
  const beds = join(cwd, ".dubwright/beds")
  expect(readdirSync(beds)).toEqual([])

  writeFileSync(join(cwd, "runs.txt"), "")
  manifest(job("a", "well"), job("b", "well"))
  const made = await runHere(["run", "m.yaml"], { cwd })
  expect([made.code, made.stdout]).toEqual([0, expect.stringContaining("Nothing was sent")])
  expect(readFileSync(join(cwd, "runs.txt"), "utf8")).toBe("x")
  expect(readdirSync(beds)).toEqual([expect.stringMatching(/^[\da-f]{64}\.wav$/u)])
  expect(readFileSync(join(cwd, "out/a/a.wav"), "latin1")).toContain("compositeSynthetic")
  // After the voice, the result is the film's own sound, sample for sample.
  const [own, dubbed] = [samplesOf(join(cwd, "film.mov")), samplesOf(join(cwd, "out/a/a.wav"))]
  expect(dubbed.length).toBe(own.length)
  expect(dubbed.slice(3 * 48_000)).toEqual(own.slice(3 * 48_000))
  expect(dubbed.slice(30_000, 40_000)).not.toEqual(own.slice(30_000, 40_000))

  // A kept result that is damaged is made again, once.
  const [kept = ""] = readdirSync(beds)
  const whole = readFileSync(join(beds, kept))
  for (const [damaged, runs] of [
    [whole.subarray(0, 100_000), "xx"],
    [Buffer.from("no sound"), "xxx"]
  ] as const) {
    writeFileSync(join(beds, kept), damaged)
    manifest(job(`c${runs}`, "well"), job(`d${runs}`, "well"))
    const mended = await runHere(["run", "m.yaml"], { cwd })
    expect([mended.code, readFileSync(join(cwd, "runs.txt"), "utf8")], mended.stdout).toEqual([0, runs])
    expect(readFileSync(join(beds, kept)).equals(whole)).toBe(true)
  }
})
