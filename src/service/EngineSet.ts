/** The engines that the settings name, opened. */
import { Effect, type Scope } from "effect"
import type { Engine } from "../engines/Engine.ts"
import { makeEspeakEngine } from "../engines/EspeakEngine.ts"
import { makeFliteEngine } from "../engines/FliteEngine.ts"
import { enginesNeeded } from "./Catalogue.ts"
import type { EngineSettings, ServiceConfig } from "./ServiceConfig.ts"
import { ConfigRejected } from "./ServiceConfigFile.ts"

/** The engines by their names in the settings. */
export type EngineSet = ReadonlyMap<string, Engine>

/** Engines that are there without being named. */
const builtIn: Readonly<Record<string, EngineSettings>> = {
  espeak: { kind: "espeak" },
  flite: { kind: "flite" }
}

/** Opens every engine that a provider stands on; they close with the scope. */
export const open = (config: ServiceConfig): Effect.Effect<EngineSet, ConfigRejected, Scope.Scope> =>
  Effect.gen(function* () {
    const settings = { ...builtIn, ...config.engines }
    const engines = new Map<string, Engine>()
    for (const name of enginesNeeded(config)) {
      const own = settings[name]
      if (own === undefined) {
        return yield* new ConfigRejected({
          problems: [
            `engines: there is no engine "${name}", which a provider names; expected one of ${Object.keys(settings).join(", ")}`
          ]
        })
      }
      engines.set(name, yield* openEngine(name, own))
    }
    return engines
  })

const openEngine = (
  name: string,
  settings: EngineSettings
): Effect.Effect<Engine, ConfigRejected, Scope.Scope> => {
  switch (settings.kind) {
    case "espeak":
      return makeEspeakEngine(settings.threads === undefined ? {} : { size: settings.threads })
    case "flite":
      return makeFliteEngine({ size: settings.threads ?? 1 })
    case "command":
    case "openai":
    case "upstream":
      return Effect.fail(new ConfigRejected({ problems: [`engines.${name}.kind: not there yet`] }))
  }
}
