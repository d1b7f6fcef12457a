/** Combines all routes into one HTTP app with error handling and metrics. */
import { HttpApiBuilder, HttpRouter, HttpServerRequest, type HttpServerResponse } from "@effect/platform"
import { type Context, Effect, Layer } from "effect"
import type { Catalogue } from "../catalogue/Catalogue.ts"
import { type RequestContext, keySecurity } from "./RequestContext.ts"
import { handlers } from "./Handlers.ts"
import type { ServiceHealth } from "../health/ServiceHealth.ts"
import { longestHead } from "./HttpServer.ts"
import type { ServiceMetrics } from "../health/ServiceMetrics.ts"
import { openRoutes } from "./PublicRoutes.ts"
import { pathIn, patternOf } from "./RoutePatterns.ts"
import { errorResponseFor } from "./ErrorResponse.ts"
import type { TaskFiles } from "../storage/TaskFiles.ts"
import type { TaskStore } from "../tasks/TaskStore.ts"

/** Builds the app. Every failure becomes a documented error response; every response is counted. */
export const webApp = (
  services: Context.Context<RequestContext | Catalogue | TaskStore | TaskFiles | ServiceHealth>,
  metrics: ServiceMetrics
) =>
  Layer.build(
    Layer.mergeAll(handlers, openRoutes(metrics), HttpApiBuilder.Router.Live).pipe(
      Layer.provide(keySecurity),
      Layer.provide(Layer.succeedContext(services)),
      Layer.fresh
    )
  ).pipe(
    Effect.flatMap((built) => Effect.provide(HttpApiBuilder.Router.router, built)),
    Effect.flatMap(HttpRouter.toHttpApp),
    // The router matches no path with a longer parameter, so ids may be as long as the request's head allows.
    HttpRouter.withRouterConfig({
      caseSensitive: true,
      ignoreTrailingSlash: true,
      maxParamLength: longestHead
    }),
    Effect.map((app) => counted(Effect.catchAllCause(app, errorResponseFor), metrics))
  )

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
