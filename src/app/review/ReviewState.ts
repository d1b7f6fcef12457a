/** State and service of a batch, shared by concurrent review requests and released after the last one. */
import { join } from "node:path"
import { Effect, Layer, RcMap } from "effect"
import type { Batch } from "../../pipeline/load/Job.ts"
import { silent } from "../../pipeline/Progress.ts"
import { gatewayTo } from "../layers/GatewayLayer.ts"
import { writableStateLayer } from "../../store/tables/StateLayers.ts"

/**
 * A state folder has one writer, so a take and a delivery at the same time share it. The service is apart: most
 * deliveries speak nothing, and do not start it.
 */
export const makeReviewState = Effect.gen(function* () {
  const states = yield* RcMap.make({
    lookup: (state: string) => Layer.build(Layer.merge(writableStateLayer(state), silent))
  })
  const services = yield* RcMap.make({
    lookup: (key: string) => {
      const [state = "", address] = key.split("\n")
      const service = address === undefined ? "embedded" : { baseUrl: address }
      return Layer.build(gatewayTo(service, join(state, "service")))
    }
  })
  return {
    /** Returns a layer with the state of a batch. */
    stateOf: ({ state }: Batch) => Layer.scopedContext(RcMap.get(states, state)),
    /** Returns a layer with the service of a batch, which starts it when it is built. */
    speechOf: ({ state, service }: Batch) =>
      Layer.scopedContext(
        RcMap.get(services, service === "embedded" ? state : `${state}\n${service.baseUrl}`)
      )
  }
})
