/** Resolves a manifest entry into a `Job`: applies the manifest's defaults, the flags and the built-in defaults. */
import { join } from "node:path"
import { Array, Struct } from "effect"
import type { JobId, LanguageTag } from "../../domain/values/Ids.ts"
import { factorOf } from "../../domain/manifest/SyncSettings.ts"
import { type Defaults, jobDefaults, type JobEntry } from "../../domain/manifest/Manifest.ts"
import { usualOutputs } from "../../domain/manifest/Outputs.ts"
import { fitDefaults, pictureDefaults } from "../../domain/manifest/ScriptSettings.ts"
import {
  type BackgroundEntry,
  type DuckSettings,
  type SeparateSettings,
  usualDuck
} from "../../domain/manifest/SoundSettings.ts"
import { FitLimits } from "../../domain/speech/Placement.ts"
import { fromSeconds } from "../../domain/time/Units.ts"
import type { Duck } from "../../audio/level/Ducking.ts"
import type { LanguageCast } from "./cast/JobCasting.ts"
import type { Background, Batch, Job, Separation } from "./Job.ts"
import { languageInName } from "./LanguageFromFilename.ts"
import type { RunFlags } from "./RunFlags.ts"

/** The settings of the batch that a job uses. */
export interface JobContext {
  readonly service: Batch["service"]
  readonly flags: RunFlags
  /** A file that the manifest names. */
  readonly fileOf: (written: string) => { readonly path: string; readonly name: string }
  /** The working folder of programs, and the state folder; both absolute. */
  readonly folder: string
  readonly state: string
  /** The film and the language of an input that is a subtitle track. */
  readonly track?: { readonly film: string; readonly language?: LanguageTag } | undefined
  /** The cast's voices in a language; none if the manifest has no cast. */
  readonly castIn: (language: LanguageTag | undefined) => LanguageCast
}

/**
 * Resolves a job. Its own settings win over the manifest's defaults, then the cast, then the flags, then the built-in
 * defaults.
 */
export const resolveJob = (
  id: JobId,
  input: string,
  inputName: string,
  defaults: Defaults,
  entry: JobEntry,
  { service, flags, fileOf, folder, state, track, castIn }: JobContext
): Job => {
  const said = { ...jobDefaults, ...defaults, ...entry }
  const fit = { ...pictureDefaults, ...defaults.fit, ...entry.fit }
  const { maxSpeed, hardMaxSpeed, minSpeed, early, late } = { ...fitDefaults, ...fit }
  const language = said.language ?? flags.language ?? track?.language ?? languageInName(inputName).language
  const given = castIn(language)
  const usual = said.voice === undefined ? given.voice : undefined
  const own = {
    provider: usual?.provider ?? said.provider ?? flags.provider,
    voice: said.voice ?? usual?.voice ?? flags.voice,
    model: said.model ?? usual?.model ?? flags.model,
    speed: said.speed ?? usual?.speed,
    vol: said.vol ?? usual?.vol,
    pitch: said.pitch ?? usual?.pitch
  }
  const offered =
    own.voice === undefined && own.provider === undefined && service === "embedded"
      ? flags.bundledVoices?.(language)
      : undefined
  const cast =
    given.cast.pool.length === 0
      ? { ...given.cast, pool: offered?.[1] === undefined ? [] : offered }
      : given.cast
  return {
    id,
    input,
    inputName,
    ...(track === undefined ? {} : { film: track.film }),
    ...(entry.video === undefined ? {} : { video: fileOf(entry.video) }),
    ...(entry.background === undefined ? {} : { background: backgroundOf(entry.background, fileOf) }),
    ...(said.separate === undefined || said.separate === "off"
      ? {}
      : { separate: separationOf(said.separate, folder, join(state, "beds")) }),
    ...(entry.sheet === undefined ? {} : { sheet: fileOf(entry.sheet) }),
    ...(language === undefined ? {} : { language }),
    voice: { ...own, ...offered?.[0] },
    speakers: { ...defaults.speakers, ...entry.speakers },
    ...(cast.file === "" && cast.pool.length === 0 ? {} : { cast }),
    ...(said.nativeInput === undefined ? {} : { nativeInput: said.nativeInput }),
    fit: FitLimits.make({
      maxSpeed: fit.maxSpeed ?? Math.min(maxSpeed, hardMaxSpeed),
      hardMaxSpeed: Math.max(hardMaxSpeed, fit.maxSpeed ?? 1),
      ...(minSpeed === 1 ? {} : { minSpeed }),
      early: fromSeconds(early),
      late: fromSeconds(late)
    }),
    retake: fit.retake ?? false,
    ...(fit.picture === "keep"
      ? {}
      : {
          picture: {
            mode: fit.picture,
            maxHold: fromSeconds(fit.maxHold),
            minPictureSpeed: fit.minPictureSpeed
          }
        }),
    ...(entry.video === undefined || said.sync === "off" ? {} : { sync: said.sync ?? "check" }),
    ...(fit.follow === "speech" ? { follow: "speech" } : {}),
    ...(said.shift === undefined ? {} : { shift: said.shift }),
    ...(said.rate === undefined ? {} : { rate: factorOf(said.rate) }),
    text: {
      ...(flags.bilingual === undefined ? {} : { bilingual: flags.bilingual }),
      ...defaults.text,
      ...entry.text
    },
    lexicon: [...(entry.lexicon ?? []), ...(defaults.lexicon ?? [])],
    pauses: { ...defaults.pauses, ...entry.pauses },
    loudness: said.loudness,
    timeline: { ...defaults.timeline, ...entry.timeline },
    original: said.original,
    duck: duckOf({ ...defaults.duck, ...entry.duck }),
    audio: { ...defaults.audio, ...entry.audio },
    tags: { ...defaults.tags, ...entry.tags },
    markSynthetic: said.markSynthetic ?? true,
    ...(said.chapters === undefined
      ? {}
      : { chapters: [...said.chapters].sort((a, b) => a.start - b.start) }),
    verify: said.verify ?? false,
    ...(said.listen === undefined || said.listen === "off" ? {} : { listen: said.listen }),
    ...(said.rewrite === undefined || said.rewrite === "off" ? {} : { rewrite: said.rewrite }),
    ...Struct.pick(said, "unit", "onFailure", "into", "encoding", "start", "frameRate", "columns"),
    outputs: Array.dedupe(said.outputs ?? flags.outputs ?? usualOutputs)
  }
}

const duckOf = ({ fade, amount = usualDuck.amount, attack = fade, release = fade }: DuckSettings): Duck => ({
  amount,
  attack: attack === undefined ? usualDuck.attack : fromSeconds(attack),
  release: release === undefined ? usualDuck.release : fromSeconds(release)
})

const separationOf = (
  { command, timeout = 7_200, gain = 0, duck = false }: SeparateSettings,
  folder: string,
  kept: string
): Separation => ({
  command,
  timeout,
  gain,
  ...(duck === false ? {} : { duck: duckOf(duck === true ? {} : duck) }),
  folder,
  kept
})

const backgroundOf = (written: BackgroundEntry, fileOf: JobContext["fileOf"]): Background => {
  if (typeof written === "string") return { ...fileOf(written), gain: 0 }
  const { file, gain = 0, duck = false } = written
  return { ...fileOf(file), gain, ...(duck === false ? {} : { duck: duckOf(duck === true ? {} : duck) }) }
}
