/**
 * Answers the most frequent reads without Effect: tasks and their files, credits, the catalogue and the health. A
 * fiber, the router and the codecs take ten times the processor time of the query itself, and clients poll.
 *
 * Only successful responses are made here, and only where nobody watches each step. All else is left to the router: a
 * missing or imported key, a limit that is reached, any fault, an unusual spelling of a URL, `Prefer`, traces, the
 * debug log, and a database on a server. The response is the same, whoever makes it.
 */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Either, FiberRef, LogLevel, Option } from "effect"
import { defaultPageSize, keyHeader } from "../../contract/SpeechApi.ts"
import { holderQuery, type KeyHolder } from "../accounts/KeyRecord.ts"
import { RateLimiter } from "../accounts/RateLimiter.ts"
import { Catalogue } from "../catalogue/Catalogue.ts"
import { queueLimit } from "../config/ServiceConfig.ts"
import { ServiceOptions } from "../config/ServiceOptions.ts"
import { EngineRota } from "../failover/EngineRota.ts"
import { ServiceHealth } from "../health/ServiceHealth.ts"
import { ServiceMetrics } from "../health/ServiceMetrics.ts"
import {
  creditsResponse,
  healthResponse,
  modelList,
  type Paging,
  providerList,
  taskPage,
  voicePage
} from "../requests/ReadResponses.ts"
import { originOf, taskResponse } from "../requests/TaskResponse.ts"
import { DirectRows } from "../storage/DirectRows.ts"
import { mediaTypes } from "../storage/FileKinds.ts"
import { Secret } from "../storage/Secret.ts"
import { TaskFiles } from "../storage/TaskFiles.ts"
import { dailyOf, taskQueries } from "../tasks/TaskQueries.ts"
import { TaskWorkers } from "../tasks/TaskWorkers.ts"
import { fileHeaders } from "./FileResponse.ts"
import { openPaths } from "./RoutePatterns.ts"
import { rateLimitHeaders } from "./RequestGate.ts"

/** Answers a request, or has the router do so. */
type Answer = (request: IncomingMessage, response: ServerResponse, byRouter: () => void) => void

/** A read: the pattern of its path, and its response. Undefined if the router has to respond. */
interface Read {
  readonly pattern: string
  readonly respond: (holder: KeyHolder, origin: string, now: number) => object | undefined
}

const nothing: Answer = (_request, _response, byRouter) => byRouter()

const make = Effect.gen(function* () {
  const { read } = yield* DirectRows
  const { takeNow } = yield* RateLimiter
  const isTraced = yield* FiberRef.get(FiberRef.currentTracerEnabled)
  const level = yield* FiberRef.get(FiberRef.currentMinimumLogLevel)
  const isLogged = LogLevel.lessThanEqual(level, LogLevel.Debug)
  if (read === undefined || takeNow === undefined || isTraced || isLogged) return nothing
  const { config, candid } = yield* ServiceOptions
  const clock = yield* Effect.clock
  const sql = yield* SqlClient
  const secret = yield* Secret
  const catalogue = yield* Catalogue
  const files = yield* TaskFiles
  const metrics = yield* ServiceMetrics
  const health = yield* ServiceHealth
  const rota = yield* EngineRota
  const workers = yield* TaskWorkers
  const queries = taskQueries(sql)

  const readOf = (url: string): Read | undefined => {
    const taskId = taskPath.exec(url)?.[1]?.toLowerCase()
    if (taskId !== undefined) {
      return {
        pattern: "/v1/task/:task_id",
        respond: ({ id }, origin, now) => {
          const task = read(queries.task(id, taskId))
          return task && taskResponse(files, origin, task, now)
        }
      }
    }
    const [path = "", query] = url.split("?", 2)
    const { provider, search, ...numbers } = parametersIn(query)
    const paging = pagingIn(numbers)
    if (paging === undefined) return undefined
    switch (path) {
      case "/v1/tasks":
        return {
          pattern: path,
          respond: ({ id }, origin, now) =>
            taskPage(
              read(queries.page(id, paging.page, paging.limit)).map((task) =>
                taskResponse(files, origin, task, now)
              ),
              paging,
              read(queries.total(id))
            )
        }
      case "/v1/credits":
        return {
          pattern: path,
          respond: ({ id, key }, _, now) =>
            creditsResponse(read(queries.balance(id)), dailyOf(read(queries.keyDay(key, now)), now))
        }
      case "/v1/providers":
        return {
          pattern: path,
          respond: () => {
            const providers = rota.healthNow(catalogue.offer())
            return providers && providerList(providers)
          }
        }
      case "/v1/health-check":
        return {
          pattern: path,
          respond: () => {
            const disk = health.diskNow()
            const providers = rota.healthNow(catalogue.offer())
            if (disk === undefined || providers === undefined) return undefined
            const isDraining = workers.draining()
            const isRoomy = health.isRoomy(disk)
            const [counts, limit] = [read(queries.counts), queueLimit(config)]
            return healthResponse({ isDraining, isRoomy, candid, disk, providers, counts, limit })
          }
        }
      case "/v1/models":
        return {
          pattern: path,
          respond: () => Either.getOrUndefined(modelList(catalogue.offer(), provider))
        }
      case "/v1/voices":
        return {
          pattern: path,
          respond: () => Either.getOrUndefined(voicePage(catalogue.offer(), provider, search, paging))
        }
      default:
        return undefined
    }
  }

  /** The holders of keys that were used in this turn of the event loop, whose reads all see the same state. */
  const holders = new Map<string, KeyHolder | undefined>()
  const holderOf = (key: string, now: number): KeyHolder | undefined => {
    if (holders.has(key)) return holders.get(key)
    if (holders.size === 0) queueMicrotask(() => holders.clear())
    const found = Option.getOrUndefined(read(holderQuery(sql, secret.digest("key", key), now)))
    holders.set(key, found)
    return found
  }

  /** Sends a response and counts it. */
  const send = (
    response: ServerResponse,
    headers: OutgoingHttpHeaders,
    body: string | Buffer,
    pattern: string,
    began: number
  ): void => {
    response.writeHead(200, headers)
    response.end(body)
    metrics.request("GET", pattern, 200, (performance.now() - began) / 1000)
  }

  /** Answers the read of a resource. Returns false if the router has to. */
  const answerRead = (request: IncomingMessage, response: ServerResponse): boolean => {
    const began = performance.now()
    const { url = "", headers } = request
    const key = headers[keyHeader]
    if (headers["prefer"] !== undefined || typeof key !== "string" || key === "") return false
    const wanted = readOf(url)
    if (wanted === undefined) return false
    const now = clock.unsafeCurrentTimeMillis()
    const holder = holderOf(key, now)
    if (holder === undefined || holder.imported || holder.expired || !holder.scopes.includes("read"))
      return false
    const found = wanted.respond(holder, originOf(config.publicUrl, headers.host), now)
    if (found === undefined) return false
    // Last: a request that the router answers is counted there.
    const { limits, wait } = takeNow(holder)
    if (wait > 0) return false
    const body = JSON.stringify(found)
    const fields = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      ...(limits.length === 0 ? {} : rateLimitHeaders(limits))
    }
    send(response, fields, body, wanted.pattern, began)
    return true
  }

  /** Answers the read of a small file, whole. */
  const answerFile: Answer = ({ url = "", headers }, response, byRouter) => {
    const began = performance.now()
    const [, token = "", name = ""] = filePath.exec(url) ?? []
    const signed =
      files.readSmall === undefined || fileConditions.some((each) => headers[each] !== undefined)
        ? undefined
        : files.checkUrl(token, name, clock.unsafeCurrentTimeMillis())
    if (signed === undefined) return byRouter()
    files.readSmall?.(signed.taskId, name, (bytes) => {
      if (response.destroyed) return
      if (bytes === undefined) return byRouter()
      const fields = {
        ...fileHeaders(signed),
        "content-type": mediaTypes[signed.kind],
        "content-length": bytes.length
      }
      send(response, fields, bytes, openPaths.file, began)
    })
  }

  const answer: Answer = (request, response, byRouter) => {
    if (request.method !== "GET") return byRouter()
    if (request.url?.startsWith("/files/") === true) return answerFile(request, response, byRouter)
    if (!attempted(answerRead, request, response)) byRouter()
  }
  return answer
})

/** Answers plain reads. */
export class PlainReads extends Effect.Service<PlainReads>()("service/PlainReads", {
  effect: Effect.map(make, (answer) => ({ answer }))
}) {}

/** Leaves requests to the router if their answer fails, such as for a row that cannot be read: it reports the fault. */
const attempted = (
  answer: (request: IncomingMessage, response: ServerResponse) => boolean,
  request: IncomingMessage,
  response: ServerResponse
): boolean => {
  try {
    return answer(request, response)
  } catch (cause) {
    if (response.headersSent) throw cause
    return false
  }
}

const filePath = /^\/files\/([\w-]+)\/([\w.-]+)$/u

/** Headers that may ask for another response than a whole file. */
const fileConditions = ["range", "if-range", "if-none-match"]

const taskPath = /^\/v1\/task\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/iu

type Parameters = Readonly<Partial<Record<"provider" | "search" | "page" | "limit", string>>>

/** Returns the parameters of a query; `page: "?"`, which is no number, if it has others, twice, or encoded ones. */
const parametersIn = (query: string | undefined): Parameters => {
  const found: Record<string, string> = {}
  for (const pair of query?.split("&") ?? []) {
    const [, name = "", value = ""] = /^(provider|search|page|limit)=([\w-]+)$/u.exec(pair) ?? []
    if (name === "" || name in found) return unusual
    found[name] = value
  }
  return found
}
const unusual: Parameters = { page: "?" }

/** Returns the page that the parameters name; undefined if one is not a number in its range. */
const pagingIn = ({ page, limit }: Pick<Parameters, "page" | "limit">): Paging | undefined => {
  const [number, size] = [wholeIn(page, 1, 1_000_000), wholeIn(limit, defaultPageSize, 100)]
  return number === undefined || size === undefined ? undefined : { page: number, limit: size }
}

const wholeIn = (text: string | undefined, fallback: number, most: number): number | undefined => {
  if (text === undefined) return fallback
  const value = /^[1-9]\d{0,6}$/u.test(text) ? Number(text) : Infinity
  return value <= most ? value : undefined
}
