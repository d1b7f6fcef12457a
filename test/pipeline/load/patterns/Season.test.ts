import { dirname } from "node:path"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { expect, layer } from "@effect/vitest"
import { type Array, Effect } from "effect"
import { loadBatch } from "../../../../src/pipeline/load/BatchLoader.ts"

const season = `
defaults:
  match: { episode: 'E\\d+' }
  outputs: [wav, mkv]
  tags: { album: The Lake, title: '{episode} ({language})' }
jobs:
  - input: subs/{episode}.{language}.srt
    video: video/{episode}.*
    id: '{episode}-{language}'
    into: 'The Lake {episode}.mkv'
`

/** Writes a manifest and empty files, and loads the manifest. */
const load = Effect.fnUntraced(function* (manifest: string, files: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped()
  for (const name of files) {
    yield* fs.makeDirectory(dirname(`${folder}/${name}`), { recursive: true })
    yield* fs.writeFileString(`${folder}/${name}`, "x")
  }
  yield* fs.writeFileString(`${folder}/m.yaml`, manifest)
  const inputs: Array.NonEmptyArray<string> = [`${folder}/m.yaml`]
  const loaded = yield* Effect.either(loadBatch(inputs, {}))
  return { folder, loaded }
})

const faultsOf = (manifest: string, files: ReadonlyArray<string>) =>
  Effect.map(load(manifest, files), ({ folder, loaded }) =>
    loaded._tag === "Left" ? loaded.left.message.replaceAll(`${folder}/`, "").split("\n") : ["loaded"]
  )

const pairs = ["E01", "E02"].flatMap((episode) => [
  `video/${episode}.mkv`,
  ...["vi", "en"].map((language) => `subs/${episode}.${language}.srt`)
])

layer(NodeContext.layer)("a season", (it) => {
  it.scoped("replaces a language in braces with the input's, if the input names one", () =>
    Effect.gen(function* () {
      const said = `${season}    language: '{language}'\n`
      const { loaded } = yield* load(said, pairs)
      const { jobs } = yield* loaded
      expect(jobs.map(({ id, language }) => [id, language])).toEqual(
        ["E01", "E02"].flatMap((episode) =>
          ["en", "vi"].map((language) => [`${episode}-${language}`, language])
        )
      )
      expect(yield* faultsOf("jobs: [{ input: 'subs/*.srt', language: '{language}' }]", pairs)).toEqual([
        "m.yaml: jobs[0].language: {language}: write {language} in input, too"
      ])
      expect(yield* faultsOf("jobs: [{ input: 'subs/*.srt', language: Klingon }]", pairs)).toEqual([
        expect.stringMatching(
          /language: expected a language such as en, vi, pt-BR or French, found "Klingon"/u
        )
      ])
    })
  )

  it.scoped("makes a job of each file, and pairs it with its film", () =>
    Effect.gen(function* () {
      const { folder, loaded } = yield* load(season, [
        ...pairs,
        "subs/notes.srt",
        "video/E01.nfo",
        "video/E01.vi.srt"
      ])
      const { jobs, notices } = yield* loaded
      expect(
        jobs.map(({ id, inputName, video, language, into, tags }) => ({
          id,
          inputName,
          video,
          language,
          into,
          tags
        }))
      ).toEqual(
        ["E01", "E02"].flatMap((episode) =>
          ["en", "vi"].map((language) => ({
            id: `${episode}-${language}`,
            inputName: `subs/${episode}.${language}.srt`,
            video: { name: `video/${episode}.mkv`, path: `${folder}/video/${episode}.mkv` },
            language,
            into: `The Lake ${episode}.mkv`,
            tags: { album: "The Lake", title: `${episode} (${language})` }
          }))
        )
      )
      expect(notices).toBeUndefined()
    })
  )

  it.scoped("names films without a subtitle and languages that an episode lacks", () =>
    Effect.gen(function* () {
      const files = [...pairs.filter((name) => name !== "subs/E02.en.srt"), "video/E03.mkv"]
      const { loaded } = yield* load(season, files)
      const { jobs, notices } = yield* loaded
      expect(jobs.map(({ id }) => id)).toEqual(["E01-en", "E01-vi", "E02-vi"])
      expect(jobs.map(({ episode }) => episode)).toEqual(["E01", "E01", "E02"])
      expect(notices).toEqual([
        "video/E03.mkv: no input matches subs/{episode}.{language}.srt; its video is not dubbed",
        "subs/{episode}.{language}.srt: E02 has no file in en"
      ])
    })
  )

  it.scoped("names every ambiguous film and every missing sheet at once", () =>
    Effect.gen(function* () {
      const files = [...pairs, "video/E01.mp4", "sheets/E01.csv"]
      expect(yield* faultsOf(`${season}    sheet: sheets/{episode}.csv\n`, files)).toEqual([
        ...["en", "vi"].map(
          (language) =>
            `m.yaml: jobs[0].video: subs/E01.${language}.srt: 2 files match video/E01.*: video/E01.mkv, video/E01.mp4; keep one, or make the pattern narrower`
        ),
        ...["en", "vi"].map(
          (language) =>
            `m.yaml: jobs[0].sheet: subs/E02.${language}.srt: no file matches sheets/E02.csv; add the sheet, or move subs/E02.${language}.srt away`
        )
      ])
    })
  )

  it.scoped("leaves a missing film or background to its job, which then names it", () =>
    Effect.gen(function* () {
      const files = [...pairs.filter((name) => name !== "video/E02.mkv"), "me/E02.wav"]
      const { loaded } = yield* load(
        `${season}    background: { file: 'me/{episode}.wav', gain: -3 }\n`,
        files
      )
      const { jobs } = yield* loaded
      expect(jobs.map(({ id, video, background }) => [id, video?.name, background?.name])).toEqual([
        ["E01-en", "video/E01.mkv", "me/E01.wav"],
        ["E01-vi", "video/E01.mkv", "me/E01.wav"],
        ["E02-en", "video/E02.*", "me/E02.wav"],
        ["E02-vi", "video/E02.*", "me/E02.wav"]
      ])
    })
  )

  it.scoped("reports unknown names, invalid languages, and names without a pattern", () =>
    Effect.gen(function* () {
      const one = (settings: string) => `jobs: [{ ${settings} }]`
      const files = [...pairs, "subs/E01.xx1.srt"]
      expect(yield* faultsOf(one("input: 'subs/{episode}.{language}.srt', id: '{epsode}'"), files)).toEqual([
        "m.yaml: jobs[0].id: {epsode}: input has no {epsode}; did you mean {episode}? (its names: {episode}, {language})"
      ])
      expect(
        yield* faultsOf(one("input: 'subs/{episode}.{language}.srt', video: 'video/{number}.mkv'"), files)
      ).toEqual(["m.yaml: jobs[0].video: input has no {number} (its names: {episode}, {language})"])
      expect(
        yield* faultsOf(
          one("input: 'subs/{episode}.{language}.srt', match: { language: '[a-z0-9]+' }"),
          files
        )
      ).toEqual([
        'm.yaml: jobs[0].input: subs/{episode}.{language}.srt: subs/E01.xx1.srt: {language}: expected a language such as en, vi, pt-BR or French, found "xx1"; set match.language to the languages you have'
      ])
      expect(yield* faultsOf(one("input: 'subs/{episode}.srt', match: { part: x }"), files)).toEqual([
        "m.yaml: jobs[0].match: part: input has no {part} (its names: {episode})"
      ])
      expect(yield* faultsOf(one("input: 'none/{episode}.srt'"), files)).toEqual([
        "m.yaml: jobs[0].input: none/{episode}.srt: no file matches; check the pattern, and match if it is set"
      ])
    })
  )
})
