/** The provider of the bundled service that speaks with the neural voices installed on this machine. */
import { neuralProvider } from "../../domain/values/Ids.ts"
import type { ServiceConfig } from "./ServiceConfig.ts"

/** Prefix of the engine's voice ids, so that they differ from those of other providers. */
export const neuralPrefix = "neural-"

/** Credits per character. */
export const neuralPrice = 1

/** The settings of the bundled service on a machine with neural voices. */
export const neuralConfig: ServiceConfig = {
  providers: {
    [neuralProvider]: {
      name: "Neural",
      description: "The neural voices that are installed on this machine.",
      engine: "neural",
      concurrency: 4,
      models: [{ id: "neural-1", name: "Neural 1", creditsPerCharacter: neuralPrice }],
      voices: "all",
      voicePrefix: neuralPrefix
    }
  }
}
