/**
 * Fake service that conforms to the public interface but decides every open point differently from ours: wrappers,
 * names, statuses, unstructured errors, pages from 0. Tests inject faults that the check must find.
 */
import { createServer, type IncomingMessage } from "node:http"
import { providerIds } from "./Walk.ts"

/** Faults that can be injected. */
export type Fault = "none" | "open-door" | "no-limit" | "no-minimum" | "silent" | "forgets" | "keeps-deleted"

/** The key that it accepts. */
export const otherKey = "older-key-0815"

interface Made {
  readonly id: string
  readonly label: unknown
  looks: number
}

/** Starts the service. */
export const startOther = async (
  fault: Fault
): Promise<{ readonly address: string; readonly stop: () => void }> => {
  const tasks: Array<Made> = []
  const server = createServer((request, response) => {
    void answer(request).then(([status, body]) => {
      response.writeHead(status, {
        "content-type": typeof body === "string" ? "text/plain" : "application/json"
      })
      response.end(body instanceof Uint8Array || typeof body === "string" ? body : JSON.stringify(body))
    })
  })

  const answer = async (request: IncomingMessage): Promise<readonly [status: number, body: unknown]> => {
    const url = new URL(request.url ?? "/", "http://other")
    const [, , endpoint = "", id = ""] = url.pathname.split("/")
    if (url.pathname.startsWith("/media/")) return [200, fault === "silent" ? "" : sound]
    if (fault !== "open-door" && request.headers["xi-api-key"] !== otherKey) return [403, "go away"]
    const limit = fault === "no-limit" ? 100 : Number(url.searchParams.get("limit") ?? 3)
    const provider = url.searchParams.get("provider")
    const search = (url.searchParams.get("search") ?? "").toLowerCase()
    switch (`${request.method ?? ""} ${endpoint}`) {
      case "GET health-check":
        return [200, "ok"]
      case "GET credits":
        return [200, { data: { balance: 7 } }]
      case "GET providers":
        return [200, providerIds.map((each) => ({ id: each, supports: ["speech"] }))]
      case "GET models":
        return [200, { data: models.filter((model) => provider === null || model.provider === provider) }]
      case "GET voices":
        return [
          200,
          {
            result: {
              items: voices
                .filter((voice) => provider === null || voice.provider === provider)
                .filter((voice) => voice.name.toLowerCase().includes(search))
                .slice(0, limit)
            }
          }
        ]
      case "GET tasks": {
        const page = Number(url.searchParams.get("page") ?? 0)
        return [200, [...tasks].reverse().slice(page * limit, (page + 1) * limit)]
      }
      case "GET task": {
        const task = tasks.find((each) => each.id === id)
        if (task === undefined) return [410, "gone"]
        const done = ++task.looks > 2
        return [
          200,
          {
            data: {
              id,
              ...(fault === "forgets" ? {} : { voice_name: task.label }),
              state: done ? "finished" : "cooking",
              ...(done ? { audio_url: `/media/${id}` } : {})
            }
          }
        ]
      }
      case "POST text-to-speech":
        return create(id, await read(request))
      case "DELETE task": {
        const wanted = (await read(request))["task_id"]
        const at = tasks.findIndex((each) => each.id === wanted)
        if (at < 0) return [400, "what task?"]
        if (fault !== "keeps-deleted") tasks.splice(at, 1)
        return [202, "on its way"]
      }
      default:
        return [404, "nothing"]
    }
  }

  const create = (voice: string, body: Readonly<Record<string, unknown>>): readonly [number, unknown] => {
    const { provider, text } = body
    const known = voices.find((each) => each.id === voice)
    if (known === undefined || known.provider !== provider || typeof text !== "string") return [418, "no"]
    const short = text.length < 100 && !text.includes("-->")
    if (fault !== "no-minimum" && provider === "provider_native" && short) return [422, "too short"]
    const id = crypto.randomUUID()
    tasks.push({ id, label: body["voice_name"], looks: 0 })
    return [201, { result: { task_id: id } }]
  }

  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const bound = server.address()
  return {
    address: `http://127.0.0.1:${typeof bound === "object" && bound !== null ? bound.port : 0}`,
    stop: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}

const sound = new Uint8Array(4_000).fill(200)

const models = providerIds.map((provider) => ({ id: `${provider}-model`, provider }))

const voices = providerIds.flatMap((provider) =>
  ["Ada", "Bob"].map((name) => ({ id: `${provider}-${name}`, name: `${name} of ${provider}`, provider }))
)

const read = async (request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
  return typeof body === "object" && body !== null ? { ...body } : {}
}
