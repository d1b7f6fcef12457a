/** Opens the cloud engines. */
import { Effect, Layer, type Scope } from "effect"
import { makeAzureSpeech } from "../../engines/cloud/AzureSpeech.ts"
import { makeGoogleSpeech } from "../../engines/cloud/GoogleSpeech.ts"
import { makeElevenLabs } from "../../engines/cloud/ElevenLabs.ts"
import { makeCartesia } from "../../engines/cloud/Cartesia.ts"
import { makeGemini } from "../../engines/cloud/Gemini.ts"
import { makeMiniMax } from "../../engines/cloud/MiniMax.ts"
import { makePolly } from "../../engines/cloud/Polly.ts"
import type { CloudSettings } from "../../engines/cloud/shared/CloudSettings.ts"
import type { Engine } from "../../engines/Engine.ts"
import { httpClient } from "../../gateway/transport/HttpTransport.ts"
import type { CloudEngineSettings } from "../config/CloudEngineConfig.ts"

/** Every cloud engine with its defaults, by the name that providers use without an `engines` section. */
export const cloudKinds: Readonly<Record<CloudEngineSettings["kind"], CloudEngineSettings>> = {
  elevenlabs: { kind: "elevenlabs" },
  azure: { kind: "azure" },
  google: { kind: "google" },
  polly: { kind: "polly" },
  minimax: { kind: "minimax" },
  cartesia: { kind: "cartesia" },
  gemini: { kind: "gemini" }
}

/** Opens a cloud engine. It reads its key from the environment now. */
export const openCloudEngine = (
  name: string,
  settings: CloudEngineSettings
): Effect.Effect<Engine, never, Scope.Scope> =>
  Effect.flatMap(Layer.build(httpClient), (http) => Effect.provide(made(name, settings), http))

const made = (name: string, settings: CloudEngineSettings) => {
  const { voices, ...rest } = settings
  const shared: CloudSettings = {
    name,
    ...(voices === undefined ? {} : { voices: voices.map(completeVoice) })
  }
  switch (rest.kind) {
    case "elevenlabs":
      return makeElevenLabs({ ...rest, ...shared })
    case "azure":
      return makeAzureSpeech({ ...rest, ...shared })
    case "google":
      return makeGoogleSpeech({ ...rest, ...shared })
    case "polly":
      return makePolly({ ...rest, ...shared })
    case "minimax":
      return makeMiniMax({ ...rest, ...shared })
    case "cartesia":
      return makeCartesia({ ...rest, ...shared })
    case "gemini":
      return makeGemini({ ...rest, ...shared })
  }
}

/** Fills in the name and languages of a voice in the settings. */
export const completeVoice = <V extends { readonly id: string }>(
  voice: V & { readonly name?: string; readonly languages?: ReadonlyArray<string> }
) => ({ ...voice, name: voice.name ?? voice.id, languages: voice.languages ?? [] })
