/** A film has the same bytes whether it is delivered for the first time or again after an edit. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeContext } from "@effect/platform-node"
import { afterAll, expect, layer } from "@effect/vitest"
import { Effect, FastCheck as fc, Layer } from "effect"
import { usualDuck } from "../../../src/domain/manifest/SoundSettings.ts"
import { encodeWav16 } from "../../../src/audio/formats/Wav.ts"
import type { OutputName } from "../../../src/domain/manifest/Outputs.ts"
import { removeLeftovers } from "../../../src/pipeline/deliver/MixRecord.ts"
import { writeOutputs } from "../../../src/pipeline/deliver/OutputWriter.ts"
import { Progress, silent } from "../../../src/pipeline/Progress.ts"
import type { BackgroundTrack } from "../../../src/pipeline/plan/media/JobBackground.ts"
import { checksumOf } from "../../../src/store/files/Checksum.ts"
import { ClipFolder } from "../../../src/store/files/ClipFolder.ts"
import { writableState } from "../../../src/store/state/StateDatabase.ts"
import { speechLike } from "../../audio/signals.ts"
import { Ffmpeg } from "../../../src/ffmpeg/Ffmpeg.ts"
import { SampleRate } from "../../../src/domain/time/Units.ts"
import { bundledFfmpeg } from "../../ffmpeg/binaries.ts"
import {
  clips,
  crowdOf,
  edit,
  edited,
  type Film,
  filmOf,
  type FilmSettings,
  outputOf,
  rate
} from "./editedFilms.ts"

const folder = mkdtempSync(join(tmpdir(), "dubwright-again-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const stateFolder = join(folder, "state")

const state = Layer.provideMerge(ClipFolder.Default, writableState(stateFolder))
const stored = Effect.gen(function* () {
  const kept = yield* ClipFolder
  for (const [key, { wav }] of clips) yield* kept.keep(key, wav)
})
const needs = Layer.mergeAll(
  bundledFfmpeg,
  silent,
  Layer.provideMerge(Layer.effectDiscard(stored), state)
).pipe(Layer.provideMerge(NodeContext.layer))

/** Music under the voices, lowered while they speak. */
const background: BackgroundTrack = {
  path: join(folder, "music.wav"),
  name: "music.wav",
  rate,
  channels: 1,
  bits: 16,
  float: false,
  frames: 190 * rate,
  dataAt: 44,
  gain: 1,
  duck: usualDuck
}
writeFileSync(background.path, encodeWav16(speechLike(rate, 190, 9)))

let folders = 0
const newFolder = () => join(folder, `out-${++folders}`)

/** The folder in which mixes are recorded. */
const mixes = join(stateFolder, "mixes")

/** Changes one byte of a file, but restores its modification time, as a program can. */
const damage = (file: string, at = 1_000_000) => {
  const { atime, mtime } = statSync(file)
  const bytes = readFileSync(file)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(file, bytes)
  utimesSync(file, atime, mtime)
}

/** The files of a job's folder by name. */
const filesIn = (out: string) =>
  new Map(
    readdirSync(join(out, "film"), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(?:wav|flac|m4a|mp3)$/u.test(name))
      .sort()
      .map((name) => [name, checksumOf(readFileSync(join(out, "film", name)))])
  )

/** Delivers a film and returns its files and measurements. */
const delivered = (film: Film, out: string, settings: FilmSettings) =>
  Effect.map(writeOutputs(outputOf(film, out, settings)), ({ measured, peaks }) => ({
    measured,
    peaks: checksumOf(new Uint8Array(Float32Array.from(peaks).buffer)),
    files: filesIn(out)
  }))

const scratchOf = (film: Film, settings: FilmSettings) =>
  Effect.gen(function* () {
    const out = newFolder()
    const made = yield* delivered(film, out, settings)
    rmSync(out, { recursive: true })
    return made
  })

/** A film of three lines a section, with a line of another sound at this place. */
const withSound = (film: Film, at: number, sound: number): Film => ({
  ...film,
  lines: film.lines.map((line, index) => (index === at ? { ...line, sound } : line))
})

/** A file keeps its inode if it is left alone, or if it was patched and renamed to its old name. */
const inodeOf = (out: string, name: string) => statSync(join(out, "film", name)).ino

const settings = { outputs: ["wav" as const], loudness: "none" as const }

layer(needs, { excludeTestServices: true, timeout: 60_000 })("a film delivered again", (it) => {
  it.effect.prop(
    "is bit-identical to one delivered for the first time",
    {
      edits: fc.array(edit, { minLength: 1, maxLength: 2 }),
      outputs: fc.constantFrom<ReadonlyArray<OutputName>>(
        ["wav", "stems"],
        ["flac", "stems"],
        ["wav", "flac"],
        ["wav", "m4a", "mp3"],
        ["flac", "mp3"]
      ),
      audio: fc.record({
        depth: fc.constantFrom<16 | 24>(16, 24),
        channels: fc.constantFrom<"mono" | "stereo">("mono", "stereo")
      }),
      loudness: fc.constantFrom<"none" | number>("none", "none", -16),
      under: fc.constantFrom(undefined, undefined, background)
    },
    ({ edits, ...settings }) =>
      Effect.gen(function* () {
        const out = newFolder()
        let film = filmOf(190)
        yield* delivered(film, out, settings)
        for (const change of edits) {
          film = edited(film, change)
          expect(yield* delivered(film, out, settings)).toEqual(yield* scratchOf(film, settings))
        }
      }),
    { fastCheck: { numRuns: 4 }, timeout: 240_000 }
  )

  it.effect.prop(
    "has the same stems of many speakers, also after deliveries that were interrupted",
    {
      edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
      speakers: fc.constantFrom(3, 13),
      channels: fc.constantFrom<"mono" | "stereo">("mono", "stereo"),
      under: fc.constantFrom(undefined, background),
      /** The number of reports of progress after which a delivery is interrupted: stems are made in groups. */
      reports: fc.nat(4)
    },
    ({ edits, speakers, channels, under, reports }) =>
      Effect.gen(function* () {
        const out = newFolder()
        const settings: FilmSettings = {
          outputs: ["wav", "stems"],
          loudness: "none",
          audio: { channels },
          under
        }
        let film = crowdOf(250, speakers)
        yield* delivered(film, out, settings)
        film = edits.reduce(edited, film)
        let left = reports
        const dies = { emit: () => (left-- > 0 ? Effect.void : Effect.dieMessage("interrupted")) }
        yield* Effect.exit(Effect.provideService(delivered(film, out, settings), Progress, dies))
        expect(yield* delivered(film, out, settings)).toEqual(yield* scratchOf(film, settings))
      }),
    { fastCheck: { numRuns: 2 }, timeout: 240_000 }
  )

  it.effect("renders only the stems that an edit can change", () =>
    Effect.gen(function* () {
      const out = newFolder()
      const settings = { loudness: "none" as const }
      const film = filmOf(250)
      const first = yield* delivered(film, out, settings)
      const names = ["film.wav", "stems/ANNA.wav", "stems/BO.wav"]
      const inodes = names.map((name) => inodeOf(out, name))
      // Line 4 is ANNA's, seconds away from BO's lines.
      const second = withSound(film, 4, 5)
      expect(yield* delivered(second, out, settings)).toEqual(yield* scratchOf(second, settings))
      expect(names.map((name, at) => inodeOf(out, name) === inodes[at])).toEqual([false, false, true])
      // ANNA's loud line 11 is limited. It is moved into BO's line 12.
      const third = {
        ...second,
        lines: second.lines.map((line, at) => (at === 11 ? { ...line, sound: 5, start: 120_900 } : line))
      }
      const made = yield* delivered(third, out, settings)
      expect(made).toEqual(yield* scratchOf(third, settings))
      expect(made.files.get("stems/BO.wav")).not.toBe(first.files.get("stems/BO.wav"))
    })
  )

  it.effect("is rendered as a whole if someone else has changed its file", () =>
    Effect.gen(function* () {
      const out = newFolder()
      const film = filmOf(190)
      const path = join(out, "film", "film.wav")
      yield* delivered(film, out, settings)
      damage(path)
      const next = withSound(film, 18, 1)
      expect(yield* delivered(next, out, settings)).toEqual(yield* scratchOf(next, settings))
    })
  )

  it.effect(
    "is rendered as a whole if someone else changes its file during a delivery that leaves it alone",
    () =>
      Effect.gen(function* () {
        const out = newFolder()
        const film = filmOf(250)
        const settings = { loudness: "none" as const }
        yield* delivered(film, out, settings)
        let isDamaged = false
        const meddles = Effect.sync(() => {
          if (!isDamaged) damage(join(out, "film", "stems", "BO.wav"))
          isDamaged = true
        })
        // Line 4 is ANNA's, seconds away from BO's lines.
        const second = withSound(film, 4, 5)
        yield* Effect.provideService(delivered(second, out, settings), Progress, { emit: () => meddles })
        const third = withSound(second, 16, 5)
        expect((yield* delivered(third, out, settings)).files).toEqual(
          (yield* scratchOf(third, settings)).files
        )
      })
  )

  it.effect("keeps its old file if the delivery is interrupted, and has the new one the next time", () =>
    Effect.gen(function* () {
      const out = newFolder()
      const film = filmOf(190)
      const before = yield* delivered(film, out, settings)
      const next = withSound(film, 11, 2)
      const dies = { emit: () => Effect.dieMessage("interrupted") }
      const exit = yield* Effect.exit(Effect.provideService(delivered(next, out, settings), Progress, dies))
      expect(exit._tag).toBe("Failure")
      expect(readdirSync(join(out, "film"))).toEqual(["film.wav"])
      expect(filesIn(out)).toEqual(before.files)
      const second = yield* delivered(next, out, settings)
      expect(second).toEqual(yield* scratchOf(next, settings))
    })
  )

  it.effect(
    "renders one section after a change of one line, and encodes the other formats from the WAV file",
    () =>
      Effect.gen(function* () {
        const out = newFolder()
        const settings = { outputs: ["wav", "flac", "m4a", "mp3"] as const, loudness: "none" as const }
        const film = filmOf(250)
        yield* delivered(film, out, settings)
        const next = withSound(film, 11, 2)
        let rendered = 0
        const counting = { emit: () => Effect.sync(() => void rendered++) }
        const made = yield* Effect.provideService(delivered(next, out, settings), Progress, counting)
        expect(rendered, "rendered sections").toBe(1)
        expect(made).toEqual(yield* scratchOf(next, settings))
        const samplesOf = (ending: string) =>
          Effect.flatMap(Ffmpeg, (ffmpeg) =>
            ffmpeg.decode({ path: join(out, "film", `film.${ending}`) }, SampleRate.make(48_000))
          )
        const { samples } = yield* samplesOf("wav")
        const digestOf = ({ buffer }: Float32Array) => checksumOf(new Uint8Array(buffer))
        expect(digestOf((yield* samplesOf("flac")).samples)).toBe(digestOf(samples))
        // An AAC file ends with a whole frame of 1,024 samples; some versions of ffmpeg decode all of it.
        const frames = (count: number) => Math.ceil(count / 1024)
        for (const ending of ["m4a", "mp3"])
          expect(frames((yield* samplesOf(ending)).samples.length), ending).toBe(frames(samples.length))
      })
  )

  it.effect("`clean` removes what earlier versions kept for the next edit, and deliveries ignore it", () =>
    Effect.gen(function* () {
      const out = newFolder()
      const film = filmOf(190)
      yield* delivered(film, out, settings)
      const left = ["spare", "spare.part", "patch", "aac", "aac.part", "aac.wav", "aac.adts"]
      for (const ending of left) writeFileSync(join(mixes, `${"a".repeat(32)}.${ending}`), "x")
      const records = readdirSync(mixes).filter((name) => name.endsWith(".record"))
      for (const name of records) writeFileSync(join(mixes, name), "a record of another version")
      const next = withSound(film, 7, 3)
      expect(yield* delivered(next, out, settings)).toEqual(yield* scratchOf(next, settings))
      expect(yield* removeLeftovers).toBe(left.length)
      expect(readdirSync(mixes).filter((name) => name.startsWith("aaaa"))).toEqual([])
      expect(records.every((name) => existsSync(join(mixes, name)))).toBe(true)
    })
  )
})
