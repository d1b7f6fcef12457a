/** The service under examination, asked over plain HTTP and read without assuming what its interface leaves open. */

/** An answer, whatever it is. */
export interface Answer {
  readonly status: number
  readonly ok: boolean
  readonly headers: Headers
  readonly bytes: Uint8Array
  /** The body as JSON; undefined where it is none. */
  readonly json: unknown
}

/** How to ask. */
export interface Question {
  readonly method?: "GET" | "POST" | "DELETE"
  /** The key to send; the account's own where absent, none where null. */
  readonly key?: string | null
  readonly body?: unknown
}

/** A service at a base address. */
export class Service {
  constructor(
    private readonly baseUrl: string,
    private readonly key: string
  ) {}

  /** Asks an endpoint. A service that asks to slow down is asked again when it says. */
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

  /** Fetches an address that a task shows: without the key, and with it only at the service's own origin. */
  async download(address: string): Promise<Answer> {
    const url = new URL(address, `${this.baseUrl}/`)
    const answer = await fetched(url.href, {})
    const own = url.origin === new URL(this.baseUrl).origin
    return answer.ok || !own ? answer : fetched(url.href, { headers: { "xi-api-key": this.key } })
  }
}

/** The value of a field at the top, or one level down where a wrapper holds it. */
export const fieldOf = (json: unknown, name: string): unknown => {
  if (!isRecord(json)) return undefined
  if (name in json) return json[name]
  for (const wrapper of ["data", "task", "result", "metadata"]) {
    const inner = json[wrapper]
    if (isRecord(inner) && name in inner) return inner[name]
  }
  return undefined
}

/** The records of a list: the body itself, or the first list found under a name, at most two levels down. */
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

/** A record's id under any of the names that such ids have. */
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

/** Whether a value is a JSON object. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Waits. */
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
