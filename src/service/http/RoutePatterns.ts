/** Path patterns of all routes, for the Allow header and as metric labels. */
import { HttpApi } from "@effect/platform"
import { SpeechApi } from "../../contract/SpeechApi.ts"

/** Paths outside the API, served without a key. */
export const openPaths = {
  openapi: "/openapi.json",
  docs: "/docs",
  metrics: "/metrics",
  file: "/files/:token/:name"
} as const

/** Paths with OpenAI's interface. `/v1/models` is in the API, with another response. */
export const openAiPaths = { speech: "/v1/audio/speech", model: "/v1/models/:model" } as const

/** Returns the pattern that a path matches, such as /v1/task/:task_id; "other" if it matches none. */
export const patternOf = (path: string): string =>
  patterns.find((each) => each.matches.test(path))?.pattern ?? "other"

/** Returns the path of a request target, which may include a host; empty if it cannot be decoded. */
export const pathIn = (target: string): string => {
  const path = target.replace(/^https?:\/\/[^/]*/iu, "").replace(/[?#;].*$/su, "")
  try {
    decodeURIComponent(path)
    return path
  } catch {
    return ""
  }
}

/** Returns the methods that a path accepts; none for an unknown path. */
export const methodsOf = (path: string): ReadonlyArray<string> => [
  ...new Set(
    patterns
      .filter((each) => each.matches.test(path))
      .flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]))
  )
]

const endpoints = (): ReadonlyArray<{ readonly method: string; readonly pattern: string }> => {
  const found: Array<{ readonly method: string; readonly pattern: string }> = []
  HttpApi.reflect(SpeechApi, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => found.push({ method: endpoint.method, pattern: endpoint.path })
  })
  return found
}

const patterns = [
  ...endpoints(),
  { method: "POST", pattern: openAiPaths.speech },
  { method: "GET", pattern: openAiPaths.model },
  ...Object.values(openPaths).map((pattern) => ({ method: "GET", pattern }))
].map(({ method, pattern }) => ({
  method,
  pattern,
  matches: new RegExp(`^${pattern.replaceAll(".", "\\.").replace(/:[a-z_]+/gu, "[^/]+")}/?$`, "u")
}))
