/** The readable page of the interface, made from its OpenAPI document: one file of HTML that loads nothing. */
import type { OpenApi } from "@effect/platform"

/** The page. */
export const docsPage = (document: OpenApi.OpenAPISpec): string =>
  `<!doctype html><html lang="en"><body>${document.info.title}</body></html>`
