/** The bundled service: its settings and its voices, with the neural voices that the user has installed. */
import { Effect } from "effect"
import { neuralProvider } from "../../domain/values/Ids.ts"
import type { EngineVoice } from "../../engines/Engine.ts"
import { sherpaAdvice, sherpaPackages } from "../../engines/neural/SherpaPackage.ts"
import { type InstalledVoice, installedVoices } from "../../engines/voices/InstalledVoices.ts"
import type { LocalVoices } from "../../pipeline/plan/SpeechAccess.ts"
import { neuralConfig, neuralPrefix } from "../../service/config/NeuralProvider.ts"
import type { ServiceConfig } from "../../service/config/ServiceConfig.ts"
import { localVoices } from "./DefaultVoiceChoice.ts"

export interface BundledService {
  readonly config: ServiceConfig
  readonly local: LocalVoices
  /** Its providers besides the built-in five. */
  readonly providers: ReadonlyArray<string>
  /** Its neural voices, as their engine lists them. */
  readonly neural: ReadonlyArray<EngineVoice>
}

/** Reads which neural voices are installed. Without sherpa-onnx, they are left out. */
export const bundledService: Effect.Effect<BundledService> = Effect.map(installedVoices, (installed) => {
  const isUsable = installed.length > 0 && sherpaPackages().length > 0
  const neural = isUsable ? speakersOf(installed) : []
  const advice = installed.length > 0 && !isUsable ? sherpaAdvice : undefined
  return {
    config: neural.length > 0 ? neuralConfig : {},
    local: localVoices(neural, advice, isUsable ? faultsOf(installed) : Effect.succeed(new Map())),
    providers: neural.length > 0 ? [neuralProvider] : [],
    neural
  }
})

/** The neural voices that cannot speak, by their ids in this service: why, and what to do. */
const faultsOf = (installed: ReadonlyArray<InstalledVoice>): LocalVoices["unusable"] =>
  Effect.gen(function* () {
    const { unusableVoices } = yield* Effect.promise(() => import("../../engines/voices/UnusableVoices.ts"))
    const entries = (yield* unusableVoices(installed)).flatMap(({ record: { id, speakers }, fault }) =>
      speakers.map((speaker) => {
        const voice = neuralPrefix + speaker.id
        const advice = `mend its files, or run dubwright voices remove ${id}`
        return [voice, `${voice} cannot speak: ${fault}; ${advice}`] as const
      })
    )
    return new Map(entries)
  })

/** Voices with the fewest languages come first, because they are made for these languages. */
const speakersOf = (installed: ReadonlyArray<InstalledVoice>): ReadonlyArray<EngineVoice> =>
  installed
    .toSorted((one, other) => one.record.languages.length - other.record.languages.length)
    .flatMap(({ record }) => record.speakers)
    .map(({ gender, ...speaker }) => (gender === undefined ? speaker : { ...speaker, gender }))
