import { spawnSync } from "node:child_process"
import { copyFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { bundled } from "../../ffmpeg/binaries.ts"
import { runHere } from "../cli/inProcess.ts"
import { emptyFolder } from "../process.ts"

const ferry = fileURLToPath(new URL("../../../fixtures/last-ferry.mp4", import.meta.url))
const first = "1\n00:00:01,000 --> 00:00:03,000\nThe last ferry leaves at ten.\n"

/** The streams of a file: their kind, their language and their codec. */
const streamsOf = (file: string): ReadonlyArray<string> => {
  const { stderr } = spawnSync(bundled.path, ["-hide_banner", "-i", file], { encoding: "utf8" })
  return [...stderr.matchAll(/Stream #0:\d+(?:\[\w+\])?(?:\((\w+)\))?: (\w+): (\w+)/gu)].map(
    ([, language = "und", kind, codec]) => `${kind} ${language} ${codec}`
  )
}

test("a film is dubbed without a manifest, from a subtitle and from its own subtitle track", async () => {
  const cwd = emptyFolder()
  writeFileSync(join(cwd, "film.en.srt"), first)
  copyFileSync(ferry, join(cwd, "film.mp4"))
  const alone = await runHere(["film.en.srt", "--video", "film.mp4", "--quiet"], { cwd })
  expect(alone.code, alone.stderr).toBe(0)
  const [, ...dubbed] = streamsOf(join(cwd, "out/film.en/film.en.mp4"))
  expect(dubbed.filter((stream) => stream.startsWith("Audio"))[0]).toBe("Audio eng aac")

  const withTrack = ["-i", ferry, "-i", join(cwd, "film.en.srt"), "-map", "0", "-map", "1", "-c", "copy"]
  const language = ["-metadata:s:s:0", "language=eng", join(cwd, "tale.mkv")]
  expect(spawnSync(bundled.path, ["-v", "error", ...withTrack, "-c:s", "srt", ...language]).status).toBe(0)
  const own = await runHere(["tale.mkv", "--json"], { cwd })
  expect(own.code, own.stderr).toBe(0)
  const files = readdirSync(join(cwd, "out/tale")).filter((name) => name.startsWith("tale."))
  expect(files).toEqual(["tale.mkv", "tale.srt", "tale.wav"])
  expect(streamsOf(join(cwd, "out/tale/tale.mkv"))).toContain("Audio eng flac")
  expect(readFileSync(join(cwd, "out/tale/tale.srt"), "utf8")).toContain("The last ferry leaves at ten.")

  const sound = await runHere(["tale.mkv", "--outputs", "flac", "--json", "--out", "sound"], { cwd })
  expect(sound.code, sound.stderr).toBe(0)
  expect(JSON.parse(sound.stdout).tasks.created).toBe(0)
  expect(existsSync(join(cwd, "sound/tale/tale.flac"))).toBe(true)
  expect(existsSync(join(cwd, "sound/tale/tale.mkv"))).toBe(false)
})
