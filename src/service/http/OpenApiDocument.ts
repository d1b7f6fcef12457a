/** The interface's OpenAPI document: the contract's, told the whole truth of what this service answers. */
import { OpenApi } from "@effect/platform"
import { SpeechApi } from "../../contract/SpeechApi.ts"
import { openPaths } from "./RoutePatterns.ts"

/** A response with its headers, which OpenAPI has and the platform's own type leaves out. */
interface Response extends OpenApi.OpenApiSpecResponse {
  readonly headers?: Readonly<
    Record<string, { readonly description: string; readonly schema: { readonly type: "integer" } }>
  >
}

/** The document. */
export const openApiDocument = (): OpenApi.OpenAPISpec => {
  const document = OpenApi.fromApi(SpeechApi, { additionalPropertiesStrategy: "allow" })
  // The platform's own shape for undecodable requests is never sent: such requests get a BadRequest.
  const { HttpApiDecodeError: _, Issue: _issue, PropertyKey: _key, ...schemas } = document.components.schemas
  return {
    ...document,
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
      ...openOperations
    },
    components: { ...document.components, schemas }
  }
}

const truthful = (responses: OpenApi.OpenAPISpecResponses): OpenApi.OpenAPISpecResponses =>
  Object.fromEntries(
    Object.entries(responses).map(([status, response]): [string, Response] => [
      status,
      status === "400"
        ? { description: "The request cannot be read.", ...only("BadRequest") }
        : status === "429" || status === "503"
          ? { ...response, headers: retryAfter }
          : response
    ])
  )

const only = (schema: string): Pick<OpenApi.OpenApiSpecResponse, "content"> => ({
  content: { "application/json": { schema: { $ref: `#/components/schemas/${schema}` } } }
})

const retryAfter = {
  "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } }
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

/** What needs no key. */
const openOperations: OpenApi.OpenAPISpecPaths = {
  [openPaths.file.replace(":token", "{token}").replace(":name", "{name}")]: open(
    "open.file",
    "A finished task's file",
    "The addresses that tasks show. They need no key, cannot be guessed, and expire. A Range of bytes gives 206 or 416, a HEAD request the head alone.",
    {
      200: { description: "The file: audio/mpeg, audio/wav, application/x-subrip, or a Transcript in JSON." },
      206: { description: "The part that Range asks for." },
      304: { description: "If-None-Match names the file as it is." },
      404: { description: "No such file, or the address has expired.", ...only("NotFound") },
      416: { description: "Range begins behind the file's end." }
    },
    [inPath("token", "As the address has it."), inPath("name", "As the address has it.")]
  ),
  [openPaths.openapi]: open("open.document", "This interface as an OpenAPI document", "", {
    200: { description: "The document." }
  }),
  [openPaths.docs]: open("open.docs", "This interface as a readable page", "", {
    200: { description: "The page." }
  }),
  [openPaths.metrics]: open("open.metrics", "Metrics for Prometheus", "", {
    200: { description: "Counts and gauges." }
  })
}
