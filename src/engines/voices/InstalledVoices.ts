/** The neural voices that the user has installed: one folder each, with a record. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { Config, Effect, Option, Schema } from "effect"
import { cacheFolder, dataFolder, homeFolder } from "../../system/UserFolders.ts"
import type { NeuralVoice } from "../neural/SherpaEngine.ts"
import { recordFile, voiceIdOf, type VoiceRecord, VoiceRecordJson } from "./VoiceRecord.ts"

/** A voice with its folder. */
export interface InstalledVoice {
  readonly folder: string
  readonly record: VoiceRecord
}

const variable = (name: string) =>
  Effect.orDie(Effect.map(Config.option(Config.string(name)), Option.getOrUndefined))

const environment = Effect.map(
  Effect.forEach(["XDG_CACHE_HOME", "XDG_DATA_HOME", "LOCALAPPDATA", "HOME"], (name) =>
    Effect.map(variable(name), (value) => [name, value] as const)
  ),
  (found) => Object.fromEntries(found)
)

/** For a user without a home folder, the root folder is used, as in Docker; no voices are installed there. */
const folderBy = (choose: typeof cacheFolder) =>
  Effect.map(environment, (found) => choose(process.platform, found, found["HOME"] ?? homeFolder() ?? "/"))

/** The folder of the installed voices: `DUBWRIGHT_VOICES`, else one in the user's data folder. */
export const voicesFolder = Effect.flatMap(variable("DUBWRIGHT_VOICES"), (own) =>
  own === undefined || own === ""
    ? Effect.map(folderBy(dataFolder), (folder) => join(folder, "voices"))
    : Effect.succeed(resolve(own))
)

/** The folder for files of neural voices that can be made again. */
export const neuralCache = Effect.map(folderBy(cacheFolder), (folder) => join(folder, "neural"))

/** Lists the installed voices by id. A folder without a valid record is not a voice, such as one being installed. */
export const installedVoices: Effect.Effect<ReadonlyArray<InstalledVoice>> = Effect.map(
  voicesFolder,
  (folder) =>
    existsSync(folder)
      ? readdirSync(folder, { withFileTypes: true })
          .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
          .map(({ name }) => join(folder, name))
          .sort()
          .flatMap(readInstalled)
      : []
)

const readInstalled = (folder: string): ReadonlyArray<InstalledVoice> => {
  const file = join(folder, recordFile)
  if (!existsSync(file)) return []
  return Option.match(Schema.decodeUnknownOption(VoiceRecordJson)(readFileSync(file, "utf8")), {
    onNone: () => [],
    onSome: (record) => [{ folder, record }]
  })
}

const neuralVoice = ({ folder, record }: InstalledVoice): NeuralVoice => ({
  id: record.id,
  name: record.name,
  path: join(folder, record.model),
  languages: record.languages
})

/** Returns voices named in settings, by id or path; without names, every installed voice. */
export const neuralVoices = (names: ReadonlyArray<string> | undefined) =>
  Effect.map(installedVoices, (installed): ReadonlyArray<NeuralVoice> => {
    if (names === undefined) return installed.map(neuralVoice)
    return names.map((name) => {
      const known = installed.find(({ record }) => record.id === name)
      return known === undefined
        ? { id: voiceIdOf(name), name: voiceIdOf(name), path: resolve(name) }
        : neuralVoice(known)
    })
  })
