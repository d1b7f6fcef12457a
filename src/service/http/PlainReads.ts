/**
 * Answers the most frequent reads without Effect: a task, a page of tasks, credits, models and voices. A fiber, the
 * router and the codecs take ten times the processor time of the query itself, and clients poll.
 *
 * Only successful responses are made here, and only where nobody watches each step. All else is left to the router: a
 * missing or imported key, a limit that is reached, any fault, an unusual spelling of a URL, `Prefer`, traces, the
 * debug log, and a database on a server. The response is the same, whoever makes it.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Either, FiberRef, LogLevel, Option } from "effect"
import { defaultPageSize, keyHeader } from "../../contract/SpeechApi.ts"
import { holderQuery, type KeyHolder } from "../accounts/KeyRecord.ts"
import { RateLimiter } from "../accounts/RateLimiter.ts"
import { Catalogue } from "../catalogue/Catalogue.ts"
import { ServiceOptions } from "../config/ServiceOptions.ts"
import { ServiceMetrics } from "../health/ServiceMetrics.ts"
import { creditsResponse, modelList, type Paging, taskPage, voicePage } from "../requests/ReadResponses.ts"
import { originOf, taskResponse } from "../requests/TaskResponse.ts"
import { DirectRows } from "../storage/DirectRows.ts"
import { Secret } from "../storage/Secret.ts"
import { TaskFiles } from "../storage/TaskFiles.ts"
import { dailyOf, taskQueries } from "../tasks/TaskQueries.ts"
import { rateLimitHeaders } from "./RequestGate.ts"

/** Answers a request and returns true, or does nothing. */
type Answer = (request: IncomingMessage, response: ServerResponse) => boolean

/** A read: the pattern of its path, and its response. Undefined if the router has to respond. */
interface Read {
  readonly pattern: string
  readonly respond: (holder: KeyHolder, origin: string, now: number) => object | undefined
}

const nothing: Answer = () => false

const make = Effect.gen(function* () {
  const { read } = yield* DirectRows
  const { takeNow } = yield* RateLimiter
  const isTraced = yield* FiberRef.get(FiberRef.currentTracerEnabled)
  const level = yield* FiberRef.get(FiberRef.currentMinimumLogLevel)
  const isLogged = LogLevel.lessThanEqual(level, LogLevel.Debug)
  if (read === undefined || takeNow === undefined || isTraced || isLogged) return nothing
  const { config } = yield* ServiceOptions
  const clock = yield* Effect.clock
  const sql = yield* SqlClient
  const secret = yield* Secret
  const catalogue = yield* Catalogue
  const files = yield* TaskFiles
  const metrics = yield* ServiceMetrics
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

  const answer: Answer = (request, response) => {
    const began = performance.now()
    const { method, url = "", headers } = request
    const key = headers[keyHeader]
    if (method !== "GET" || headers["prefer"] !== undefined || typeof key !== "string" || key === "")
      return false
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
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      ...(limits.length === 0 ? {} : rateLimitHeaders(limits))
    })
    response.end(body)
    metrics.request(method, wanted.pattern, 200, (performance.now() - began) / 1000)
    return true
  }
  return orElse(answer)
})

/** Answers plain reads. */
export class PlainReads extends Effect.Service<PlainReads>()("service/PlainReads", {
  effect: Effect.map(make, (answer) => ({ answer }))
}) {}

/** Leaves requests to the router if their answer fails, such as for a row that cannot be read: it reports the fault. */
const orElse =
  (answer: Answer): Answer =>
  (request, response) => {
    try {
      return answer(request, response)
    } catch (cause) {
      if (response.headersSent) throw cause
      return false
    }
  }

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
