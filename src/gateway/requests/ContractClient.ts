/**
 * The HTTP client under the client derived from the contract, for reads. Every response passes through the exchange.
 */
import { HttpClient, HttpClientResponse } from "@effect/platform"
import { RequestError } from "@effect/platform/HttpClientError"
import { Effect, Either } from "effect"
import type { Exchange } from "./ServiceExchange.ts"
import {
  creditsOf,
  healthOf,
  modelListOf,
  providerListOf,
  taskPageOf,
  voicePageOf
} from "../response/ResponseNormalization.ts"
import { type Fields, fieldsOf } from "../response/ResponseFields.ts"

/** Makes the client. URLs are paths of the interface; the exchange adds the service's base URL. */
export const contractClient = (exchange: Exchange): HttpClient.HttpClient =>
  HttpClient.make((request, { pathname, search }) =>
    exchange({ method: "GET", path: pathname + search }, shapeOf(pathname)).pipe(
      Effect.map((told) => {
        const { status, fields } = Either.getOrElse(Either.map(told, taken), (refusal) => refusal)
        return HttpClientResponse.fromWeb(request, new Response(JSON.stringify(fields), { status, headers }))
      }),
      Effect.mapError((cause) => new RequestError({ request, reason: "Transport", cause }))
    )
  ).pipe(
    HttpClient.withTracerPropagation(false),
    HttpClient.withTracerDisabledWhen(() => true)
  )

const taken = (fields: Fields) => ({ status: 200, fields })

const headers = { "content-type": "application/json" }

type Shape = (value: unknown) => Fields

const shapes: Readonly<Record<string, Shape>> = {
  "/v1/tasks": taskPageOf,
  "/v1/voices": voicePageOf,
  "/v1/models": modelListOf,
  "/v1/providers": providerListOf,
  "/v1/credits": creditsOf,
  "/v1/health-check": healthOf
}

const shapeOf = (path: string): Shape => shapes[path] ?? ((value) => fieldsOf(value) ?? {})
