/** State and service of a batch, shared by concurrent review requests and released after the last one. */
import { join } from "node:path"
import { Effect, Layer, RcMap } from "effect"
import type { Batch } from "../../pipeline/load/Job.ts"
import { silent } from "../../pipeline/Progress.ts"
import { gatewayTo } from "../layers/GatewayLayer.ts"
import { writableStateLayer } from "../../store/tables/StateLayers.ts"

/** A state folder has one writer, so a take and a delivery at the same time share it. */
export const makeReviewState = Effect.map(
  RcMap.make({
    lookup: (key: string) => {
      const [state = "", address] = key.split("\n")
      const service = address === undefined ? "embedded" : { baseUrl: address }
      return Layer.build(
        Layer.mergeAll(writableStateLayer(state), silent, gatewayTo(service, join(state, "service")))
      )
    }
  }),
  (held) =>
    /** Returns a layer with the state and the service of a batch. */
    ({ state, service }: Batch) =>
      Layer.scopedContext(RcMap.get(held, service === "embedded" ? state : `${state}\n${service.baseUrl}`))
)
