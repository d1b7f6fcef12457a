/** Combines all routes into one HTTP app with error handling and metrics, and serves it. */
import {
  HttpApiBuilder,
  HttpMiddleware,
  HttpRouter,
  HttpServerRequest,
  HttpServerResponse
} from "@effect/platform"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, FiberRef, Layer, Option } from "effect"
import { attributesIn, baggageHeader } from "../contract/TraceBaggage.ts"
import { ServiceOptions } from "./config/ServiceOptions.ts"
import { KeyGuard } from "./accounts/KeyGuard.ts"
import { KeyAuthentication, keySecurity } from "./http/KeyAuthentication.ts"
import { RequestGate } from "./http/RequestGate.ts"
import { handlers } from "./http/Handlers.ts"
import { listenHttp, maxHead } from "./http/HttpServer.ts"
import { ServiceMetrics } from "./failover/ServiceMetrics.ts"
import { openAiRoutes } from "./http/OpenAiRoutes.ts"
import { pathIn, patternOf, openPaths } from "./http/RoutePatterns.ts"
import { errorResponseFor } from "./http/ErrorResponse.ts"
import { startPriority } from "./TimeSlices.ts"
import { NodeHttpServerRequest } from "@effect/platform-node"
import { NotFound } from "../contract/Errors.ts"
import { docsPage } from "./http/DocsPage.ts"
import { fileResponse } from "./http/FileResponse.ts"
import { ServiceHealth } from "./failover/ServiceHealth.ts"
import { openApiDocument } from "./http/OpenApiDocument.ts"
import { TaskFiles } from "./storage/TaskFiles.ts"
import { TaskQueue } from "./tasks/TaskQueue.ts"
import { TaskWorkers } from "./tasks/TaskWorkers.ts"

/** Listens until its scope closes. Every failure becomes a documented error response; every response is counted. */
export class WebServer extends Effect.Service<WebServer>()("service/WebServer", {
  scoped: Effect.gen(function* () {
    const { host, port, config } = yield* ServiceOptions
    const { connections = 4_000, requestTimeout: requestSeconds = 30 } = config.limits ?? {}
    const metrics = yield* ServiceMetrics
    const routes = yield* Layer.build(
      Layer.mergeAll(handlers, openRoutes, openAiRoutes, HttpApiBuilder.Router.Live).pipe(
        Layer.provide(keySecurity),
        Layer.provide(Layer.mergeAll(KeyAuthentication.Default, RequestGate.Default)),
        Layer.provide(KeyGuard.Default)
      )
    )
    const app = yield* Effect.provide(HttpApiBuilder.Router.router, routes).pipe(
      Effect.flatMap(HttpRouter.toHttpApp),
      // The router matches no path with a longer parameter, so ids may be as long as the request's head allows.
      HttpRouter.withRouterConfig({
        caseSensitive: true,
        ignoreTrailingSlash: true,
        maxParamLength: maxHead
      })
    )
    const isObserved = yield* FiberRef.get(FiberRef.currentTracerEnabled)
    const handler = yield* NodeHttpServer.makeHandler(
      counted(Effect.catchAllCause(isObserved ? aboutBaggage(app) : app, errorResponseFor), metrics)
    ).pipe(
      Effect.locally(HttpMiddleware.currentTracerDisabledWhen, ({ url }) => !isObserved || !isTraced(url)),
      Effect.provide(NodeHttpServer.layerContext),
      // Routes have their services already. Each step that adds to a request's context copies it.
      Effect.mapInputContext((_: Context.Context<never>) => Context.empty())
    )
    // Requests wait for a slice. Otherwise, all that arrive in one turn of the event loop are started in it, and a
    // flood of them shuts out new connections.
    const scheduler = yield* FiberRef.get(FiberRef.currentScheduler)
    return yield* listenHttp(
      (request, response) =>
        scheduler.scheduleTask(() => {
          if (!response.destroyed) handler(request, response)
        }, startPriority),
      { host, port, connections, requestSeconds }
    )
  })
}) {}

/** Whether requests of a URL are traced. Other URLs need no key; those of files are secret. */
const isTraced = (url: string): boolean => url.startsWith("/v1/")

/**
 * Marks a traced request's spans with the attributes that the client sent. The span of an untraced request is not
 * exported.
 */
const aboutBaggage = <A, E, R>(app: Effect.Effect<A, E, R>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers, url }) => {
    if (!isTraced(url))
      return app.pipe(Effect.withSpan("WebApp.aboutBaggage", { root: true }), Effect.withTracerEnabled(false))
    const baggage = headers[baggageHeader]
    if (baggage === undefined) return app
    const attributes = attributesIn(baggage)
    return Effect.zipRight(Effect.annotateCurrentSpan(attributes), Effect.annotateSpans(app, attributes))
  })

const counted = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  metrics: ServiceMetrics
) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method, url }) => {
    const began = performance.now()
    return Effect.tap(app, ({ status }) => {
      const seconds = (performance.now() - began) / 1000
      const path = patternOf(pathIn(url))
      metrics.request(method, path, status, seconds)
      return Effect.whenLogLevel(
        Effect.annotateLogs(Effect.logDebug("request"), { method, path, status, seconds }),
        "Debug"
      )
    })
  })

/** Registers the routes. */
const openRoutes = HttpApiBuilder.Router.use((router) =>
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
        if (Option.isNone(found))
          return yield* new NotFound({
            code: "file_unknown",
            message: "unknown file, or its URL has expired; read the task for a new URL"
          })
        const request = yield* HttpServerRequest.HttpServerRequest
        // A connection that is not read is closed at the second time-out without progress: after a minute.
        NodeHttpServerRequest.toIncomingMessage(request).socket.setTimeout(30_000)
        return yield* fileResponse(found.value, request)
      })
    )
  })
)
