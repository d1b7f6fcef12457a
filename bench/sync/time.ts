/** Time and memory of the analysis of a film of two hours, against ffmpeg's decoding of its sound to nothing. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { spawnSync } from "node:child_process"
import { performance } from "node:perf_hooks"
import { Effect, Layer, Stream } from "effect"
import { encodeWav16 } from "../../src/audio/formats/Wav.ts"
import { evidenceOf } from "../../src/audio/sync/CueEvidence.ts"
import { alignToFilm } from "../../src/audio/sync/FilmAlignment.ts"
import { SoundBands } from "../../src/audio/sync/SoundBands.ts"
import { speechTrackOf } from "../../src/audio/sync/SpeechTrack.ts"
import { Ffmpeg } from "../../src/ffmpeg/Ffmpeg.ts"
import { mixed, rate, sources, spokenOf } from "./films.ts"

const hours = 2

/** Decodes and aligns in turn with ffmpeg alone, three times each; prints the fastest of each. */
export const measureTime = async () => {
  const folder = mkdtempSync(join(tmpdir(), "dubwright-sync-"))
  try {
    const spoken = await spokenOf(sources[0]!)
    const samples = mixed(spoken, "music", 10, 1)
    const repeats = Math.round((hours * 3600) / spoken.seconds)
    const wav = join(folder, "scene.wav")
    const film = join(folder, "film.m4a")
    writeFileSync(wav, encodeWav16({ rate, samples }))
    const encoding = ["-stream_loop", `${repeats - 1}`, "-i", wav, "-ac", "2", "-ar", "48000", "-c:a", "aac"]
    run(["-v", "error", "-y", ...encoding, "-b:a", "160k", film])
    const cues = Array.from({ length: repeats }, (_, k) =>
      spoken.cues.map(({ start, end }) => ({
        start: start + k * spoken.seconds,
        end: end + k * spoken.seconds
      }))
    ).flat()
    const best = { ffmpeg: Infinity, decoding: Infinity, aligning: Infinity }
    for (let round = 0; round < 3; round++) {
      best.ffmpeg = Math.min(
        best.ffmpeg,
        await timed(() => run(["-v", "error", "-i", film, "-vn", "-f", "null", "-"]))
      )
      const bands = new SoundBands()
      best.decoding = Math.min(best.decoding, await timed(() => Effect.runPromise(listen(film, bands))))
      best.aligning = Math.min(
        best.aligning,
        await timed(() => alignToFilm(evidenceOf(speechTrackOf(bands.result())), cues))
      )
    }
    const { ffmpeg, decoding, aligning } = best
    process.stdout.write(
      `${hours} h, ${cues.length} cues: ffmpeg to null ${ffmpeg.toFixed(2)} s; decoding and levels ` +
        `${decoding.toFixed(2)} s (${(decoding / ffmpeg).toFixed(2)} ×), alignment ${aligning.toFixed(2)} s, ` +
        `together ${((decoding + aligning) / ffmpeg).toFixed(2)} ×; ` +
        `peak memory ${Math.round(process.resourceUsage().maxRSS / 1024)} MB\n`
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const listen = (path: string, bands: SoundBands) =>
  Effect.flatMap(Ffmpeg, (ffmpeg) =>
    Stream.runForEach(ffmpeg.decodeSound({ path }, rate), (block) => Effect.sync(() => bands.push(block)))
  ).pipe(Effect.provide(Layer.fresh(Ffmpeg.Default)))

const run = (args: ReadonlyArray<string>) => {
  const { status, stderr } = spawnSync("ffmpeg", args, { encoding: "utf8" })
  if (status !== 0) throw new Error(stderr)
}

const timed = async (work: () => unknown): Promise<number> => {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1000
}
