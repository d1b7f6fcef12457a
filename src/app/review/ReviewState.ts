/**
 * A batch's state and its service, shared by the requests of a review that need them and held no longer than they do.
 */
import { join } from "node:path"
import { Effect, Layer, RcMap } from "effect"
import type { Batch } from "../../pipeline/load/Job.ts"
import { silent } from "../../pipeline/Progress.ts"
import { gatewayTo } from "../layers/GatewayLayer.ts"
import { writableStateLayer } from "../layers/StateLayers.ts"

/** One writer holds a state folder, so a take and a delivery at the same time share it. */
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
    /** Gives work the state and the service of a batch. */
    ({ state, service }: Batch) =>
      Layer.scopedContext(RcMap.get(held, service === "embedded" ? state : `${state}\n${service.baseUrl}`))
)
