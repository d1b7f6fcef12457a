/** The HTTP client on which the client derived from the contract stands: every answer comes through the exchange. */
import { HttpClient, type HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { RequestError } from "@effect/platform/HttpClientError"
import { Effect, Either } from "effect"
import type { Asked, Exchange } from "./Exchange.ts"
import type { Broken, Unreachable } from "./Fault.ts"
import {
  creditsOf,
  deletedOf,
  type Fields,
  fieldsOf,
  healthOf,
  modelListOf,
  providerListOf,
  taskPageOf,
  voicePageOf
} from "./Foreign.ts"
import type { Refusal } from "./Tolerance.ts"

/** Makes the client. Addresses begin with the interface's paths: the exchange knows where the service is. */
export const contractClient = (exchange: Exchange): HttpClient.HttpClient =>
  HttpClient.make((request, url) => {
    const asked = askedBy(request, url)
    return Effect.async<Either.Either<Fields, Refusal>, Unreachable | Broken>((told) =>
      exchange(asked, shapeOf(request, asked), told)
    ).pipe(
      Effect.map((told) => {
        const { status, fields } = Either.getOrElse(Either.map(told, taken), (refusal) => refusal)
        return HttpClientResponse.fromWeb(request, new Response(JSON.stringify(fields), { status, headers }))
      }),
      Effect.mapError((cause) => new RequestError({ request, reason: "Transport", cause }))
    )
  }).pipe(
    HttpClient.withTracerPropagation(false),
    HttpClient.withTracerDisabledWhen(() => true)
  )

const taken = (fields: Fields) => ({ status: 200, fields })

const headers = { "content-type": "application/json" }

const askedBy = ({ method, body }: HttpClientRequest.HttpClientRequest, url: URL): Asked => ({
  method: method === "POST" || method === "DELETE" ? method : "GET",
  path: url.pathname + url.search,
  ...(body._tag === "Uint8Array" ? { body: Buffer.from(body.body).toString("utf8") } : {})
})

type Shape = (value: unknown) => Fields

const shapes: Readonly<Record<string, Shape>> = {
  "GET /v1/tasks": taskPageOf,
  "GET /v1/voices": voicePageOf,
  "GET /v1/models": modelListOf,
  "GET /v1/providers": providerListOf,
  "GET /v1/credits": creditsOf,
  "GET /v1/health-check": healthOf
}

const shapeOf = ({ method }: HttpClientRequest.HttpClientRequest, { path, body }: Asked): Shape => {
  if (method === "DELETE") return (value) => deletedOf(value, idIn(body))
  const [place = path] = path.split("?")
  return shapes[`${method} ${place}`] ?? ((value) => fieldsOf(value) ?? {})
}

/** The task that a delete names. */
const idIn = (body: string | undefined): string => {
  const id = body === undefined ? undefined : fieldsOf(JSON.parse(body))?.["task_id"]
  return typeof id === "string" ? id : ""
}
