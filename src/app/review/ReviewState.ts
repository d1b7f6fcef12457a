/** State and service of a batch, shared by concurrent review requests and released after the last one. */
import { join } from "node:path"
import { Effect, Layer, RcMap, Schema, Scope } from "effect"
import { Dialect } from "../../domain/manifest/ServiceDialect.ts"
import type { Engine } from "../../engines/Engine.ts"
import { gatewayAt } from "../../library/layers/GatewayLayers.ts"
import type { Batch } from "../../pipeline/load/Job.ts"
import { silent } from "../../pipeline/Progress.ts"
import { bundledPlace, gatewayTo } from "../layers/GatewayLayer.ts"
import { writableStateLayer } from "../../store/tables/StateLayers.ts"

/**
 * The engines that need no settings, for all takes of a review: to start one takes longer than to speak a line. Their
 * threads begin with the first line, and are closed after a quarter of an hour without one.
 */
const keptEngines = Effect.gen(function* () {
  const { makeEspeakEngine } = yield* Effect.promise(() => import("../../engines/local/EspeakEngine.ts"))
  const { makeFliteEngine } = yield* Effect.promise(() => import("../../engines/local/FliteEngine.ts"))
  return new Map<string, Engine>([
    ["espeak", yield* makeEspeakEngine({ idle: "15 minutes" })],
    ["flite", yield* makeFliteEngine({ idle: "15 minutes", size: 1 })]
  ])
})

/**
 * A state folder has one writer, so a take and a delivery at the same time share it. The service is apart: most
 * deliveries speak nothing, and do not start it. It also locks its data, so only its engines outlive a request.
 */
export const makeReviewState = Effect.gen(function* () {
  const states = yield* RcMap.make({
    lookup: (state: string) => Layer.build(Layer.merge(writableStateLayer(state), silent))
  })
  const scope = yield* Effect.scope
  const engines = yield* Effect.cached(Effect.provideService(keptEngines, Scope.Scope, scope))
  const services = yield* RcMap.make({
    lookup: (key: string) => {
      const [state = "", address] = key.split("\n")
      const dataDir = join(state, "service")
      return Layer.build(
        address === undefined
          ? gatewayAt(bundledPlace(dataDir, engines))
          : gatewayTo(readRemote(address), dataDir)
      )
    }
  })
  const loaded = yield* Effect.cachedFunction((state: string) => Effect.scoped(RcMap.get(services, state)))
  return {
    /** Starts the engine of most bundled voices, if the batch uses the bundled service. */
    warm: ({ service }: Batch) =>
      service === "embedded"
        ? Effect.flatMap(engines, (kept) => kept.get("espeak")?.check ?? Effect.void)
        : Effect.void,
    /** Starts and releases a batch's bundled service, once, so that its code is loaded. Not while it is in use. */
    load: ({ state, service }: Batch) => (service === "embedded" ? loaded(state) : Effect.void),
    /** Returns a layer with the state of a batch. */
    stateOf: ({ state }: Batch) => Layer.scopedContext(RcMap.get(states, state)),
    /** Returns a layer with the service of a batch, which starts it when it is built. */
    speechOf: ({ state, service }: Batch) =>
      Layer.scopedContext(
        RcMap.get(services, service === "embedded" ? state : `${state}\n${JSON.stringify(service)}`)
      )
  }
})

/** Reads a remote service from its key in the map. */
const readRemote = Schema.decodeUnknownSync(
  Schema.parseJson(
    Schema.Struct({ baseUrl: Schema.String, dialect: Schema.optionalWith(Dialect, { exact: true }) })
  )
)
