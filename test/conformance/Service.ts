/** HTTP client for the service under test; assumes nothing that the interface leaves open. */

/** A response of any shape. */
export interface Answer {
  readonly status: number
  readonly ok: boolean
  readonly headers: Headers
  readonly bytes: Uint8Array
  /** The body parsed as JSON; undefined if it is not JSON. */
  readonly json: unknown
}

/** A request's options. */
export interface Question {
  readonly method?: "GET" | "POST" | "DELETE"
  /** The key to send: by default the account's own, null for none. */
  readonly key?: string | null
  readonly body?: unknown
}

/** A service at a base address. */
export class Service {
  constructor(
    private readonly baseUrl: string,
    private readonly key: string
  ) {}

  /** Sends a request. Retries when rate-limited, after the time that the service asks for. */
  async ask(path: string, question: Question = {}): Promise<Answer> {
    const key = question.key === undefined ? this.key : question.key
    for (let attempt = 1; ; attempt++) {
      const answer = await fetched(`${this.baseUrl}${path}`, {
        method: question.method ?? "GET",
        headers: {
          ...(key === null ? {} : { "xi-api-key": key }),
          ...(question.body === undefined ? {} : { "content-type": "application/json" })
        },
        ...(question.body === undefined ? {} : { body: JSON.stringify(question.body) })
      })
      if ((answer.status !== 429 && answer.status !== 503) || attempt === 6) return answer
      const seconds = Number(answer.headers.get("retry-after") ?? attempt)
      await pause(Math.min(60, Number.isFinite(seconds) ? seconds : attempt) * 1000)
    }
  }

  /**
   * Downloads an address from a task: first without the key, then with it if the address is at the service's own
   * origin.
   */
  async download(address: string): Promise<Answer> {
    const url = new URL(address, `${this.baseUrl}/`)
    const answer = await fetched(url.href, {})
    const own = url.origin === new URL(this.baseUrl).origin
    return answer.ok || !own ? answer : fetched(url.href, { headers: { "xi-api-key": this.key } })
  }
}

/** Returns a field of the body or of a wrapper one level down. */
export const fieldOf = (json: unknown, name: string): unknown => {
  if (!isRecord(json)) return undefined
  if (name in json) return json[name]
  for (const wrapper of ["data", "task", "result", "metadata"]) {
    const inner = json[wrapper]
    if (isRecord(inner) && name in inner) return inner[name]
  }
  return undefined
}

/** Returns the records of a list: the body itself, or the first list at most two levels down. */
export const listOf = (json: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> | undefined => {
  if (Array.isArray(json)) return json.filter(isRecord)
  if (!isRecord(json)) return undefined
  for (const value of Object.values(json)) if (Array.isArray(value)) return value.filter(isRecord)
  for (const value of Object.values(json)) {
    const inner = isRecord(value) ? listOf(value) : undefined
    if (inner !== undefined) return inner
  }
  return undefined
}

/** Returns a record's id under any of its usual names; empty if it has none. */
export const idOf = (
  record: Readonly<Record<string, unknown>>,
  kind: "model" | "voice" | "task" | "provider"
): string => {
  for (const name of [`${kind}_id`, kind, "id"]) {
    const value = record[name]
    if (typeof value === "string" && value !== "") return value
  }
  return ""
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resume) => setTimeout(resume, milliseconds))

const fetched = async (url: string, init: RequestInit): Promise<Answer> => {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(60_000) })
  const bytes = new Uint8Array(await response.arrayBuffer())
  return { status: response.status, ok: response.ok, headers: response.headers, bytes, json: parsed(bytes) }
}

const parsed = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}
