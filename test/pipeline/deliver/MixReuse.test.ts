/** A film has the same bytes whether it is delivered for the first time or again after an edit. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { createHash } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeContext } from "@effect/platform-node"
import { afterAll, expect, layer } from "@effect/vitest"
import { Effect, Exit, FastCheck as fc, Fiber, Layer } from "effect"
import { toInt16 } from "../../../src/audio/pcm/Pcm.ts"
import { usualDuck } from "../../../src/domain/manifest/SoundSettings.ts"
import { encodeWav16 } from "../../../src/audio/formats/Wav.ts"
import type { OutputName } from "../../../src/domain/manifest/Outputs.ts"
import { JobId } from "../../../src/domain/values/Ids.ts"
import { lacksSpares, prepareSpares } from "../../../src/pipeline/deliver/reuse/SparePreparation.ts"
import { removeSpares } from "../../../src/pipeline/deliver/reuse/MixRecord.ts"
import { writeOutputs } from "../../../src/pipeline/deliver/OutputWriter.ts"
import { yieldToEventLoop } from "../../../src/pipeline/EventLoop.ts"
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
const filmId = JobId.make("film")

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

const mixesEnding = (ending: string) => readdirSync(mixes).filter((name) => name.endsWith(ending))

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
      .filter((name) => /\.(?:wav|flac|m4a)$/u.test(name))
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

/** That of the only spare. */
const inodeOfSpare = () => statSync(join(mixes, mixesEnding(".spare")[0] ?? "")).ino

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
        ["flac"]
      ),
      audio: fc.record({
        depth: fc.constantFrom<16 | 24>(16, 24),
        channels: fc.constantFrom<"mono" | "stereo">("mono", "stereo"),
        checksum: fc.boolean()
      }),
      loudness: fc.constantFrom<"none" | number>("none", "none", -16),
      under: fc.constantFrom(undefined, undefined, background),
      isPrepared: fc.boolean()
    },
    ({ edits, isPrepared, ...settings }) =>
      Effect.gen(function* () {
        const out = newFolder()
        let film = filmOf(190)
        yield* delivered(film, out, settings)
        for (const change of edits) {
          if (isPrepared) yield* prepareSpares(stateFolder, out, filmId)
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
      const path = join(out, "film", "stems", "BO.wav")
      yield* removeSpares
      const first = yield* delivered(film, out, settings)
      // Line 4 is ANNA's, seconds away from BO's lines. A stem that is rendered in part needs this name for a file.
      const patch = join(mixes, `${checksumOf(path).slice(0, 32)}.patch`)
      mkdirSync(patch)
      const second = withSound(film, 4, 5)
      const inode = statSync(path).ino
      expect(yield* delivered(second, out, settings)).toEqual(yield* scratchOf(second, settings))
      expect(statSync(path).ino).toBe(inode)
      rmdirSync(patch)
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

  it.effect("leaves files with the same sound alone, and patches the version before the present one", () =>
    Effect.gen(function* () {
      const out = newFolder()
      const film = filmOf(190)
      const settings = { loudness: "none" as const }
      yield* delivered(film, out, settings)
      const first = ["film.wav", "stems/ANNA.wav", "stems/BO.wav"].map((name) => inodeOf(out, name))
      // Line 1 is ANNA's.
      const second = yield* delivered(withSound(film, 1, 4), out, settings)
      expect(second).toEqual(yield* scratchOf(withSound(film, 1, 4), settings))
      expect(inodeOf(out, "film.wav")).not.toBe(first[0])
      expect(inodeOf(out, "stems/ANNA.wav")).not.toBe(first[1])
      expect(inodeOf(out, "stems/BO.wav")).toBe(first[2])
      // In another section: the older version gets line 1 from the present one.
      const twice = withSound(withSound(film, 1, 4), 11, 2)
      const third = yield* delivered(twice, out, settings)
      expect(third).toEqual(yield* scratchOf(twice, settings))
      expect(inodeOf(out, "film.wav")).toBe(first[0])
      expect(inodeOf(out, "stems/BO.wav")).toBe(first[2])
    })
  )

  it.effect("is rendered as a whole if someone else has changed its file or its spare", () =>
    Effect.gen(function* () {
      const out = newFolder()
      const film = filmOf(190)
      const path = join(out, "film", "film.wav")
      yield* delivered(film, out, settings)
      damage(path)
      for (const sound of [1, 2, 3]) {
        const next = withSound(film, 18, sound)
        expect(yield* delivered(next, out, settings)).toEqual(yield* scratchOf(next, settings))
        for (const name of mixesEnding(".spare")) damage(join(mixes, name))
      }
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
      expect(mixesEnding(".patch")).toEqual([])
      expect(filesIn(out)).toEqual(before.files)
      const second = yield* delivered(next, out, settings)
      expect(second).toEqual(yield* scratchOf(next, settings))
      // The older version, which is patched, is lost.
      const third = withSound(next, 2, 3)
      yield* Effect.exit(Effect.provideService(delivered(third, out, settings), Progress, dies))
      expect(readdirSync(join(out, "film"))).toEqual(["film.wav"])
      expect(filesIn(out)).toEqual(second.files)
      expect(yield* delivered(third, out, settings)).toEqual(yield* scratchOf(third, settings))
    })
  )

  for (const [outputs, checksum] of [
    [["flac"], false],
    [["flac"], true],
    [["wav", "flac"], true]
  ] as const)
    it.effect(
      `keeps the frames of a FLAC file ${checksum ? "with" : "without"} a checksum, delivered as ${outputs.join(" and ")}`,
      () =>
        Effect.gen(function* () {
          const out = newFolder()
          const settings = { outputs, loudness: "none" as const, audio: { checksum } }
          let film = filmOf(190)
          const path = join(out, "film", "film.flac")
          yield* delivered(film, out, settings)
          const dies = { emit: () => Effect.dieMessage("interrupted") }
          // The checksum without a WAV file needs the samples from the edit on, of four sections.
          for (const [at, sound, checked] of [
            [1, 4, 4],
            [17, 2, 2],
            [11, 3, 3]
          ] as const) {
            const before = readFileSync(path)
            film = withSound(film, at, sound)
            yield* Effect.exit(Effect.provideService(delivered(film, out, settings), Progress, dies))
            expect(readFileSync(path).equals(before)).toBe(true)
            expect(readdirSync(join(out, "film"))).toEqual(outputs.map((name) => `film.${name}`).sort())
            expect(mixesEnding(".patch")).toEqual([])
            let rendered = 0
            const counting = { emit: () => Effect.sync(() => void rendered++) }
            const next = yield* Effect.provideService(delivered(film, out, settings), Progress, counting)
            expect(rendered, "rendered sections").toBe(checksum && outputs.length === 1 ? checked : 1)
            expect(next).toEqual(yield* scratchOf(film, settings))
          }
          const { samples } = yield* Effect.flatMap(Ffmpeg, (ffmpeg) =>
            ffmpeg.decode({ path }, SampleRate.make(48_000))
          )
          expect(samples.length).toBe(190 * 48_000)
          const stored = readFileSync(path).subarray(26, 42)
          const md5 = createHash("md5")
            .update(new Uint8Array(toInt16(samples).buffer))
            .digest()
          expect(stored).toEqual(checksum ? md5 : Buffer.alloc(16))
        })
    )

  it.effect("encodes only the segments of an M4A file that have changed", () =>
    Effect.gen(function* () {
      const out = newFolder()
      const settings = { outputs: ["wav" as const, "m4a" as const], loudness: "none" as const }
      const path = join(out, "film", "film.m4a")
      let film = filmOf(370)
      yield* removeSpares
      yield* delivered(film, out, settings)
      const own = mixesEnding(".aac")[0]?.slice(0, 32) ?? ""
      const stored = () =>
        mixesEnding(".aac")
          .filter((name) => name.startsWith(own))
          .map((name) => `${name} ${statSync(join(mixes, name)).ino}`)
      expect(stored().length).toBe(3)
      // In the last segment, in the first, and in the first while the others are damaged, too.
      for (const [at, sound, isDamaged, kept] of [
        [30, 4, false, 2],
        [1, 4, false, 2],
        [1, 2, true, 0]
      ] as const) {
        const before = { frames: stored(), file: readFileSync(path) }
        film = withSound(film, at, sound)
        const dies = { emit: () => Effect.dieMessage("interrupted") }
        yield* Effect.exit(Effect.provideService(delivered(film, out, settings), Progress, dies))
        expect(readFileSync(path).equals(before.file)).toBe(true)
        expect(readdirSync(join(out, "film"))).toEqual(["film.m4a", "film.wav"])
        expect(mixesEnding(".aac.wav").concat(mixesEnding(".aac.adts"))).toEqual([])
        if (isDamaged) for (const name of mixesEnding(".aac")) damage(join(mixes, name), 5_000)
        const next = yield* delivered(film, out, settings)
        expect(stored().filter((one) => before.frames.includes(one)).length).toBe(kept)
        expect(stored().length).toBe(3)
        expect(next).toEqual(yield* scratchOf(film, settings))
      }
      expect(yield* removeSpares).toBeGreaterThan(1_000_000)
      expect(stored()).toEqual([])
    })
  )

  it.effect("overwrites the version of a FLAC file before the present one, wherever the edits are", () =>
    Effect.gen(function* () {
      const out = newFolder()
      const settings = { outputs: ["flac" as const], loudness: "none" as const, audio: { checksum: false } }
      let film = filmOf(190)
      yield* removeSpares
      yield* delivered(film, out, settings)
      yield* prepareSpares(stateFolder, out, filmId)
      const inodes = [inodeOf(out, "film.flac"), inodeOfSpare()]
      const sizes = new Set<number>()
      // Later, earlier, between the two, at the end, and the line before the last edit again.
      for (const [at, sound] of [
        [11, 4],
        [1, 4],
        [7, 3],
        [18, 5],
        [18, 2]
      ] as const) {
        film = withSound(film, at, sound)
        expect(yield* delivered(film, out, settings)).toEqual(yield* scratchOf(film, settings))
        // The two versions take turns.
        inodes.reverse()
        expect([inodeOf(out, "film.flac"), inodeOfSpare()]).toEqual(inodes)
        sizes.add(statSync(join(out, "film", "film.flac")).size)
      }
      expect(sizes.size, "frames move, and the file gets longer and shorter").toBeGreaterThan(3)
    })
  )

  it.effect("is complete after a delivery that was killed while it overwrote the spare", () =>
    Effect.gen(function* () {
      const out = newFolder()
      const settings = { outputs: ["flac" as const], loudness: "none" as const, audio: { checksum: false } }
      const film = filmOf(190)
      const path = join(out, "film", "film.flac")
      yield* removeSpares
      yield* delivered(film, out, settings)
      const edited = withSound(film, 7, 3)
      const before = yield* delivered(edited, out, settings)
      // What a killed process leaves.
      const [spare = ""] = mixesEnding(".spare")
      renameSync(join(mixes, spare), `${path}.part`)
      writeFileSync(`${path}.part`, "fLaC")
      expect(filesIn(out)).toEqual(before.files)
      const next = withSound(edited, 2, 5)
      expect(yield* delivered(next, out, settings)).toEqual(yield* scratchOf(next, settings))
      expect(readdirSync(join(out, "film"))).toEqual(["film.flac"])
    })
  )

  it.effect("patches a spare that was prepared before the first edit", () =>
    Effect.gen(function* () {
      const out = newFolder()
      const film = filmOf(190)
      yield* removeSpares
      yield* delivered(film, out, settings)
      expect(lacksSpares(stateFolder, out, filmId)).toBe(true)
      yield* prepareSpares(stateFolder, out, filmId)
      expect(lacksSpares(stateFolder, out, filmId)).toBe(false)
      const prepared = mixesEnding(".spare").map((name) => statSync(join(mixes, name)).ino)
      const next = withSound(film, 7, 3)
      expect(yield* delivered(next, out, settings)).toEqual(yield* scratchOf(next, settings))
      expect(prepared).toEqual([inodeOf(out, "film.wav")])
      // The edit left the older version as the next spare.
      expect(lacksSpares(stateFolder, out, filmId)).toBe(false)
      damage(join(out, "film", "film.wav"))
      expect(lacksSpares(stateFolder, out, filmId), "the film is not as it was delivered").toBe(false)
    })
  )

  it.effect("prepares no spare if it is interrupted or cannot write, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const out = newFolder()
      yield* removeSpares
      const before = yield* delivered(filmOf(190), out, settings)
      const preparing = yield* Effect.fork(prepareSpares(stateFolder, out, filmId))
      const isCopying = () => mixesEnding(".spare.part").length > 0 || preparing.unsafePoll() !== null
      yield* Effect.repeat(yieldToEventLoop, { until: isCopying })
      // Where files share blocks, the copy ends at once.
      const isInterrupted = Exit.isFailure(yield* Fiber.interrupt(preparing))
      expect(mixesEnding(".part")).toEqual([])
      expect(mixesEnding(".spare").length).toBe(isInterrupted ? 0 : 1)
      expect(lacksSpares(stateFolder, out, filmId)).toBe(isInterrupted)
      yield* removeSpares
      const blocked = join(mixes, `${checksumOf(join(out, "film", "film.wav")).slice(0, 32)}.spare.part`)
      mkdirSync(blocked)
      yield* prepareSpares(stateFolder, out, filmId)
      rmdirSync(blocked)
      expect(lacksSpares(stateFolder, out, filmId)).toBe(true)
      expect(filesIn(out)).toEqual(before.files)
      // A killed process leaves its copy, which is deleted with the spares.
      writeFileSync(blocked, "x")
      yield* removeSpares
      expect(mixesEnding(".part")).toEqual([])
    })
  )
})
