/** Subtitle tracks as inputs, with films that ffmpeg makes. */
import { execFileSync } from "node:child_process"
import { readdirSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { expect, layer } from "@effect/vitest"
import { Effect, Either } from "effect"
import { loadBatch } from "../../../../src/pipeline/load/BatchLoader.ts"
import { chooseTrack, type FilmTrack } from "../../../../src/pipeline/load/TrackChoice.ts"
import { LanguageTag } from "../../../../src/domain/values/Ids.ts"
import { bundled } from "../../../ffmpeg/binaries.ts"

const cue = (text: string) => `1\n00:00:00,500 --> 00:00:02,000\n${text}\n`

/** Writes a film of three seconds with a Vietnamese and an English subtitle track. */
const filmIn = (folder: string, name: string, codecs: ReadonlyArray<string>) => {
  writeFileSync(join(folder, "vi.txt"), cue("Xin chào."))
  writeFileSync(join(folder, "en.txt"), cue("Hello."))
  const languages = [
    ["vi", "vie"],
    ["en", "eng"]
  ].slice(0, codecs.length)
  execFileSync(bundled.path, [
    ...["-loglevel", "error", "-f", "lavfi", "-i", "sine=d=3"],
    ...languages.flatMap(([own]) => ["-f", "srt", "-i", join(folder, `${own}.txt`)]),
    ...["-map", "0", ...languages.flatMap((_, at) => ["-map", `${at + 1}`])],
    ...languages.flatMap(([, code], at) => [`-metadata:s:s:${at}`, `language=${code}`]),
    ...codecs.flatMap((codec, at) => [`-c:s:${at}`, codec]),
    join(folder, name)
  ])
}

const tracks = (...all: ReadonlyArray<readonly [language: string, codec: string]>) =>
  all.map(([language, codec], at): FilmTrack => ({
    number: at + 1,
    language: language === "" ? undefined : LanguageTag.make(language),
    codec,
    ending: codec === "subrip" ? "srt" : undefined
  }))

layer(NodeContext.layer)("subtitle tracks of films", (it) => {
  const made = Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped())

  const formats = [
    ["mkv", ["srt", "ass"]],
    ["mp4", ["mov_text", "mov_text"]]
  ] as const
  for (const [container, codecs] of formats)
    it.scoped(`a track of ${container} is found by language and by number`, () =>
      Effect.gen(function* () {
        const folder = yield* made

        const name = `film.${container}`
        filmIn(folder, name, codecs)
        const fs = yield* FileSystem.FileSystem
        for (const [track, language, text] of [
          ["vi", "vi", "Xin chào."],
          ["2", "en", "Hello."]
        ]) {
          const [job] = (yield* loadBatch([join(folder, `${name}#${track}`)], {
            state: join(folder, "state")
          })).jobs
          expect(job).toMatchObject({ id: `film.${track}`, language, film: join(folder, name) })
          expect(job.inputName.endsWith(`${name}#${track}`)).toBe(true)
          expect(job.video?.path).toBe(join(folder, name))
          expect(job.outputs).toEqual(["wav", "srt", container])
          expect(yield* fs.readFileString(job.input)).toContain(text)
        }
      })
    )

  it.scoped("an unchanged film is read once, a changed one again", () =>
    Effect.gen(function* () {
      const folder = yield* made

      filmIn(folder, "film.mkv", ["srt"])
      const film = join(folder, "film.mkv")
      const load = Effect.map(loadBatch([film], { state: join(folder, "state") }), ({ jobs: [job] }) => job)
      const first = yield* load
      expect(first).toMatchObject({ id: "film", language: "vi" })
      writeFileSync(first.input, cue("Kept."))
      const kept = yield* load
      expect(kept.input).toBe(first.input)
      expect(statSync(kept.input).size).toBe(cue("Kept.").length)
      utimesSync(film, 1, 1)
      const again = yield* load
      expect(again.input).not.toBe(first.input)
      expect(readdirSync(join(folder, "state", "tracks"))).toHaveLength(2)
    })
  )

  it.scoped("a manifest's pattern names the same track of every film", () =>
    Effect.gen(function* () {
      const folder = yield* made

      filmIn(folder, "E01.mkv", ["srt", "srt"])
      filmIn(folder, "E02.mkv", ["srt", "srt"])
      writeFileSync(join(folder, "m.yaml"), "jobs:\n  - input: '{episode}.mkv#en'\n    id: '{episode}'\n")
      const { jobs } = yield* loadBatch([join(folder, "m.yaml")], {})
      expect(jobs.map(({ id, inputName, language }) => [id, inputName, language])).toEqual([
        ["E01", "E01.mkv#en", "en"],
        ["E02", "E02.mkv#en", "en"]
      ])
    })
  )

  const faults = [
    [tracks(), "vi", "the film has no subtitle tracks"],
    [tracks(["vi", "subrip"]), "vn", 'no subtitle track in "vn"; did you mean #vi?'],
    [tracks(["vi", "subrip"]), "3", "the film has no subtitle track 3; its subtitle tracks: #1 vi"],
    [
      tracks(["vi", "subrip"], ["vi", "subrip"]),
      "vi",
      "several tracks have the language vi: #1 vi, #2 vi; name one by its number, such as film.mkv#1"
    ],
    [tracks(["vi", "subrip"], ["en", "subrip"]), undefined, "such as film.mkv#vi; its subtitle tracks"],
    [tracks(["vi", "hdmv_pgs_subtitle"]), undefined, "#1 vi (PGS images): images hold no text"],
    [tracks(["en", "subrip"], ["vi", "dvd_subtitle"]), "2", "#2 vi (VobSub images): images hold no text"],
    [tracks(["vi", "eia_608"]), "vi", "#1 vi (eia_608): the format is not supported"]
  ] as const
  for (const [all, wanted, expected] of faults)
    it(`tells: ${expected}`, () => {
      expect(Either.getOrThrow(Either.flip(chooseTrack(all, "film.mkv", wanted)))).toContain(expected)
    })

  it("a text track is chosen over images in its language, and a region falls back to its language", () => {
    const all = tracks(["pt", "hdmv_pgs_subtitle"], ["pt", "subrip"])
    expect(Either.getOrThrow(chooseTrack(all, "film.mkv", "pt-BR"))).toMatchObject({
      number: 2,
      language: "pt-BR"
    })
  })
})
