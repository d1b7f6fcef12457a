/** The API's OpenAPI document: generated from the contract, corrected to match the service's responses. */
import { STATUS_CODES } from "node:http"
import { OpenApi, OpenApiJsonSchema } from "@effect/platform"
import { mediaTypeOf, OpenAiError, OpenAiSpeech } from "../../contract/OpenAi.ts"
import { SpeechApi } from "../../contract/SpeechApi.ts"
import { openAiPaths, openPaths } from "./RoutePatterns.ts"

/** A response with headers, which OpenAPI allows but the platform's type lacks. */
interface Response extends OpenApi.OpenApiSpecResponse {
  readonly headers?: Readonly<
    Record<string, { readonly description: string; readonly schema: { readonly type: "integer" | "string" } }>
  >
}

/** Builds the document. */
export const openApiDocument = (): OpenApi.OpenAPISpec => {
  const document = OpenApi.fromApi(SpeechApi, { additionalPropertiesStrategy: "allow" })
  // The platform's own schema for undecodable requests is never sent: such requests get a BadRequest.
  const { HttpApiDecodeError: _, Issue: _issue, PropertyKey: _key, ...schemas } = document.components.schemas
  return {
    ...document,
    servers: [{ url: "/" }],
    tags: [
      { name: "speech", description: "The service's own interface." },
      { name: "openai", description: "OpenAI's interface, on the same keys, credits and tasks." },
      { name: "open", description: "Paths that need no key." }
    ],
    paths: {
      ...Object.fromEntries(
        Object.entries(document.paths).map(([path, item]) => [
          path,
          Object.fromEntries(
            Object.entries(item).map(([method, operation]) => [
              method,
              { ...operation, responses: truthful(operation.responses) }
            ])
          )
        ])
      ),
      ...openAiOperations,
      ...openOperations
    },
    components: {
      ...document.components,
      schemas: {
        OpenAiSpeech: OpenApiJsonSchema.makeWithDefs(OpenAiSpeech, { defs: schemas }),
        OpenAiError: OpenApiJsonSchema.makeWithDefs(OpenAiError, { defs: schemas }),
        // With the schemas that the two above refer to.
        ...schemas
      }
    }
  }
}

const truthful = (responses: OpenApi.OpenAPISpecResponses): OpenApi.OpenAPISpecResponses =>
  Object.fromEntries(
    Object.entries(responses).map(([status, response]): [string, Response] => [
      status,
      status === "400"
        ? { description: "A parameter or the body is not in the expected form.", ...only("BadRequest") }
        : status === "429" || status === "503"
          ? { ...response, headers: status === "429" ? { ...retryAfter, ...rateLimit } : retryAfter }
          : response
    ])
  )

const only = (schema: string): Required<Pick<OpenApi.OpenApiSpecResponse, "content">> => ({
  content: { "application/json": { schema: { $ref: `#/components/schemas/${schema}` } } }
})

const retryAfter = {
  "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } }
} as const

const rateLimit = {
  "RateLimit-Policy": { description: "Each limit: q requests per w seconds.", schema: { type: "string" } },
  RateLimit: {
    description: "Each limit: r requests remain; the quota resets in t seconds.",
    schema: { type: "string" }
  }
} as const

const open = (
  id: string,
  summary: string,
  description: string,
  responses: OpenApi.OpenAPISpecResponses,
  parameters: Array<OpenApi.OpenAPISpecParameter> = []
): OpenApi.OpenAPISpecPathItem => ({
  get: { operationId: id, tags: ["open"], summary, description, security: [], parameters, responses }
})

const inPath = (name: string, description: string): OpenApi.OpenAPISpecParameter => ({
  name,
  in: "path",
  required: true,
  description,
  schema: { type: "string" }
})

const byKey: OpenApi.OpenAPISpecOperation["security"] = [{ bearer: [] }, { key: [] }]

/** The errors of a path with OpenAI's interface. */
const openAiErrors = (...statuses: ReadonlyArray<number>): OpenApi.OpenAPISpecResponses =>
  Object.fromEntries(
    statuses.map((status): [number, Response] => [
      status,
      {
        description: STATUS_CODES[status] ?? "",
        ...only("OpenAiError"),
        ...(status === 429 || status === 503 ? { headers: retryAfter } : {})
      }
    ])
  )

const binary = { schema: { type: "string", format: "binary" } } as const

/** Paths with OpenAI's interface. */
const openAiOperations: OpenApi.OpenAPISpecPaths = {
  [openAiPaths.speech]: {
    post: {
      operationId: "openai.speech",
      tags: ["openai"],
      summary: "Speech, with OpenAI's interface",
      description:
        "Takes the body of OpenAI's POST /v1/audio/speech. Its fields are model, input, voice, response_format (mp3, opus, aac, flac, wav, pcm), speed (0.25 to 4) and stream_format (audio, sse). Instructions are ignored. Voices and models have OpenAI's names or this service's ids. Creates a task, waits for it, and responds with its audio. Errors have OpenAI's shape.",
      security: byKey,
      parameters: [],
      requestBody: { required: true, ...only("OpenAiSpeech") },
      responses: {
        200: {
          description: "The audio, or Server-Sent Events with stream_format sse.",
          content: Object.fromEntries(
            [...Object.values(mediaTypeOf), "text/event-stream"].map((type) => [type, binary])
          )
        },
        ...openAiErrors(400, 401, 402, 403, 404, 413, 422, 429, 500, 503)
      }
    }
  },
  [openAiPaths.model.replace(":model", "{model}")]: {
    get: {
      operationId: "openai.model",
      tags: ["openai"],
      summary: "One model, in OpenAI's shape",
      description: "GET /v1/models returns OpenAI's list of models if the key is a bearer token.",
      security: byKey,
      parameters: [inPath("model", "A model's id.")],
      responses: { 200: { description: "The model." }, ...openAiErrors(400, 401, 403, 404, 429, 500, 503) }
    }
  }
}

/** Paths that need no key. */
const openOperations: OpenApi.OpenAPISpecPaths = {
  [openPaths.file.replace(":token", "{token}").replace(":name", "{name}")]: open(
    "open.file",
    "A finished task's file",
    "Serves the URLs of finished tasks. They need no key, cannot be guessed, and expire. A byte Range returns 206 or 416; HEAD returns the headers only.",
    {
      200: { description: "The file: audio/mpeg, audio/wav, application/x-subrip, or a Transcript in JSON." },
      206: { description: "The part that Range requests." },
      304: { description: "Not modified: If-None-Match matches the file." },
      404: { description: "Unknown file, or the URL has expired.", ...only("NotFound") },
      416: { description: "Range starts after the file's end." }
    },
    [inPath("token", "The token in the URL."), inPath("name", "The file name in the URL.")]
  ),
  [openPaths.openapi]: open("open.document", "This API as an OpenAPI document", "", {
    200: { description: "The document." }
  }),
  [openPaths.docs]: open("open.docs", "This API as a documentation page", "", {
    200: { description: "The page." }
  }),
  [openPaths.metrics]: open("open.metrics", "Metrics for Prometheus", "", {
    200: { description: "Counters and gauges." }
  })
}
