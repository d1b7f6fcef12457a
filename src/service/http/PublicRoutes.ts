/** Routes without a key: the API's description, the metrics, and files at their signed URLs. */
import { HttpApiBuilder, HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { NodeHttpServerRequest } from "@effect/platform-node"
import { Effect, Option } from "effect"
import { NotFound } from "../../contract/Errors.ts"
import { docsPage } from "./DocsPage.ts"
import { fileResponse } from "./FileResponse.ts"
import { ServiceHealth } from "../failover/ServiceHealth.ts"
import { ServiceMetrics } from "../failover/ServiceMetrics.ts"
import { openApiDocument } from "./OpenApiDocument.ts"
import { openPaths } from "./RoutePatterns.ts"
import { TaskFiles } from "../storage/TaskFiles.ts"
import { TaskQueue } from "../tasks/TaskQueue.ts"
import { TaskWorkers } from "../tasks/TaskWorkers.ts"

/** Registers the routes. */
export const openRoutes = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const workers = yield* TaskWorkers
    const metrics = yield* ServiceMetrics
    const files = yield* TaskFiles
    const queue = yield* TaskQueue
    const health = yield* ServiceHealth
    const document = openApiDocument()
    const openApi = HttpServerResponse.unsafeJson(document)
    const docs = HttpServerResponse.html(docsPage(document)).pipe(
      HttpServerResponse.setHeaders({
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
        "x-content-type-options": "nosniff"
      })
    )
    yield* router.get(openPaths.openapi, Effect.succeed(openApi))
    yield* router.get(openPaths.docs, Effect.succeed(docs))
    yield* router.get(
      openPaths.metrics,
      Effect.gen(function* () {
        const disk = yield* health.disk
        const counts = yield* queue.counts
        return HttpServerResponse.text(
          `${metrics.page({ ...counts, draining: workers.draining(), freeDisk: disk.freeBytes })}\n`,
          { contentType: "text/plain; version=0.0.4; charset=utf-8" }
        )
      })
    )
    yield* router.get(
      openPaths.file,
      Effect.gen(function* () {
        const { token = "", name = "" } = yield* HttpRouter.params
        const found = yield* files.find(token, name)
        if (Option.isNone(found)) {
          return yield* new NotFound({
            code: "file_unknown",
            message: "unknown file, or its URL has expired; read the task for a new URL"
          })
        }
        const request = yield* HttpServerRequest.HttpServerRequest
        // A connection that is not read is closed at the second time-out without progress: after a minute.
        NodeHttpServerRequest.toIncomingMessage(request).socket.setTimeout(30_000)
        return yield* fileResponse(found.value, request)
      })
    )
  })
)
