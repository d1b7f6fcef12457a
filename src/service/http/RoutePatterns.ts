/** The paths that the service answers, as patterns: for the Allow header, and as labels of what is counted. */
import { HttpApi } from "@effect/platform"
import { SpeechApi } from "../../contract/SpeechApi.ts"

/** What the service answers besides its interface, without a key. */
export const openPaths = {
  openapi: "/openapi.json",
  docs: "/docs",
  metrics: "/metrics",
  file: "/files/:token/:name"
} as const

/** The pattern that a path falls under, such as /v1/task/:task_id; "other" for one that is none of ours. */
export const patternOf = (path: string): string =>
  patterns.find((each) => each.matches.test(path))?.pattern ?? "other"

/** The path of a request's target, which may also name a host; empty where it cannot be decoded. */
export const pathIn = (target: string): string => {
  const path = target.replace(/^https?:\/\/[^/]*/iu, "").replace(/[?#;].*$/su, "")
  try {
    decodeURIComponent(path)
    return path
  } catch {
    return ""
  }
}

/** The methods that a path takes; none for a path that is none of ours. */
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
  ...Object.values(openPaths).map((pattern) => ({ method: "GET", pattern }))
].map(({ method, pattern }) => ({
  method,
  pattern,
  matches: new RegExp(`^${pattern.replaceAll(".", "\\.").replace(/:[a-z_]+/gu, "[^/]+")}/?$`, "u")
}))
