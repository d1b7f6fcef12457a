/**
 * Fake speech service that follows the interface but misbehaves in every other way. Faults are drawn from a seed. Each
 * fault happens to each text a limited number of times, so that retrying pays off.
 */
import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { babble, silence } from "./Babble.ts"
import { chance } from "./Chance.ts"

/** Everything that can go wrong. */
export const mischiefs = [
  "create-500-before",
  "create-500-after",
  "create-drop-before",
  "create-drop-after",
  "create-hang-after",
  "create-429",
  "create-429-retry-after",
  "create-503",
  "create-garbage-after",
  "look-500",
  "look-drop",
  "look-hang",
  "look-404",
  "look-429",
  "look-html",
  "task-fails",
  "task-vanishes",
  "audio-500",
  "audio-cut",
  "audio-short",
  "audio-html",
  "audio-empty",
  "audio-noise",
  "audio-silent",
  "audio-drop",
  "audio-stalls",
  "audio-trickles",
  "link-expires",
  "history-500",
  "history-drop"
] as const
export type Mischief = (typeof mischiefs)[number]

/** How a service behaves. */
export interface Character {
  readonly seed: number
  readonly key: string
  /** Probability of each fault at a request to which it applies. */
  readonly odds: Partial<Record<Mischief, number>>
  /** How often one fault may happen to one text. */
  readonly timesEach: number
  /** Milliseconds until a task is done: least, most. */
  readonly settle: readonly [number, number]
  /** The wrapper around the fields of a response. */
  readonly envelope: "none" | "data" | "task" | "result" | "metadata"
  /** Whether labels are repeated. */
  readonly echoes: boolean
  /**
   * What it does with idempotency keys. `lies` claims to honour them, but charges each create. `lies-well` also rejects
   * empty texts as if every key were known.
   */
  readonly idempotency: "ignores" | "honours" | "lies" | "lies-well"
  /** Whether audio is served from another origin than the interface. */
  readonly otherHost: boolean
  /** Credits per character. */
  readonly price: number | undefined
  /** Whether responses to creates report the price. */
  readonly tellsPrice: boolean
  /** Credits in the account; undefined means unlimited. */
  readonly credits: number | undefined
  /** How an empty account is reported: with status 402, or with 429 and OpenAI's error code. */
  readonly emptyAccount: 402 | 429
  /** Whether requests for the balance are never answered. */
  readonly hidesBalance: boolean
  /** Credits that others spend with each of our tasks except the first. */
  readonly othersSpend: number
  /** Whether its messages and the names of its engines contain the key that it got. */
  readonly repeatsKey: boolean
  /** Texts that it always rejects. */
  readonly refuses: RegExp | undefined
  /** Texts whose tasks never end. */
  readonly endless: RegExp | undefined
  /** Longest text in characters. */
  readonly longest: number
  /** The number of reads of a task that get 404 after its audio was first requested. */
  readonly forgets: number
  /** The audio for every text; undefined means a WAV file that speaks it. */
  readonly sound: Uint8Array | undefined
}

/** A well-behaved service. */
export const calm: Character = {
  seed: 1,
  key: "nativeapikey_calm",
  odds: {},
  timesEach: 1,
  settle: [5, 30],
  envelope: "none",
  echoes: true,
  idempotency: "ignores",
  otherHost: false,
  price: 1,
  tellsPrice: true,
  credits: undefined,
  emptyAccount: 402,
  hidesBalance: false,
  othersSpend: 0,
  repeatsKey: false,
  refuses: undefined,
  endless: undefined,
  longest: 5_000,
  forgets: 0,
  sound: undefined
}

/** A task that was charged. */
export interface Charged {
  readonly id: string
  readonly label: string
  readonly provider: string
  readonly voice: string
  readonly text: string
  readonly madeAt: number
  readonly doneAt: number
  readonly fate: "done" | "fails" | "vanishes"
}

/** Characters as a provider counts them. */
const charactersOf = (text: string): number => Array.from(text).length

export class HostileService {
  /** All charged tasks, in order. */
  readonly charged: Array<Charged> = []
  readonly requests: Record<string, number> = {}
  /** Ids of its voices. */
  voices: ReadonlyArray<string> = ["v1", "vi-anna"]
  /** Faults so far. */
  readonly done: Partial<Record<Mischief, number>> = {}
  /** Headers of requests to the other origin. */
  readonly seenElsewhere: Array<IncomingMessage["headers"]> = []
  private readonly random: () => number
  private readonly times = new Map<string, number>()
  private readonly links = new Map<string, { readonly id: string; readonly until: number }>()
  /** The number of reads that got 404, by the id of a task whose audio was requested. */
  private readonly forgotten = new Map<string, number>()
  private readonly named = new Map<string, { readonly id: string; readonly body: string }>()
  private readonly main: Server
  private readonly media: Server

  constructor(
    readonly character: Character,
    /** The address to listen on. */
    private readonly host = "127.0.0.1"
  ) {
    this.random = chance(character.seed)
    this.main = createServer((request, response) => void this.serve(request, response))
    this.media = createServer((request, response) => {
      this.seenElsewhere.push(request.headers)
      this.audio(request, response)
    })
  }

  async start(): Promise<void> {
    await Promise.all([this.main, this.media].map((server) => listening(server, this.host)))
  }

  async stop(): Promise<void> {
    for (const server of [this.main, this.media]) {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    }
  }

  get baseUrl(): string {
    return addressOf(this.main)
  }

  /** Credits of all charged tasks. */
  get spent(): number {
    return this.charged.reduce((sum, { text }) => sum + charactersOf(text) * (this.character.price ?? 0), 0)
  }

  /** Decides whether a fault happens now. */
  private happens(mischief: Mischief, about: string): boolean {
    const odds = this.character.odds[mischief] ?? 0
    if (odds === 0 || this.random() >= odds) return false
    const name = `${mischief} ${about}`
    const times = this.times.get(name) ?? 0
    if (times >= this.character.timesEach) return false
    this.times.set(name, times + 1)
    this.done[mischief] = (this.done[mischief] ?? 0) + 1
    return true
  }

  private count(what: string): void {
    this.requests[what] = (this.requests[what] ?? 0) + 1
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://service")
    const body = await read(request)
    if (url.pathname.startsWith("/audio/")) {
      this.audio(request, response)
      return
    }
    if (request.headers["xi-api-key"] !== this.character.key) {
      answer(response, 401, { detail: `no such key: ${String(request.headers["xi-api-key"])}` })
      return
    }
    const [, , what = "", name = ""] = url.pathname.split("/")
    if (request.method === "POST" && what === "text-to-speech")
      this.create(response, decodeURIComponent(name), body, request.headers["idempotency-key"])
    else if (what === "task" && request.method === "GET") this.look(response, name)
    else if (what === "tasks") this.history(response, url)
    else if (what === "credits") this.balance(response)
    else if (what === "voices") answer(response, 200, { data: this.voices.map((id) => ({ id })) })
    else if (what === "health-check") {
      this.count("health")
      const claims = this.character.idempotency !== "ignores"
      answer(response, 200, {
        status: "ok",
        ...(claims ? { idempotency: { retention_seconds: 604_800 } } : {})
      })
    } else answer(response, 404, "no such path")
  }

  private create(response: ServerResponse, voice: string, body: string, key: unknown): void {
    const { text, provider, voice_name: label } = JSON.parse(body)
    const { idempotency } = this.character
    const earlier = idempotency === "honours" ? this.named.get(String(key)) : undefined
    if ((earlier !== undefined && earlier.body !== body) || (text === "" && idempotency === "lies-well"))
      return answer(response, 422, {
        _tag: "Unprocessable",
        code: "idempotency_key_reused",
        message: "reused"
      })
    if (text === "") return answer(response, 422, { error: "nothing to say" })
    this.count("create")
    if (this.character.refuses?.test(text) === true)
      return answer(response, 422, { errors: [{ msg: `no such words here${this.slip}` }] })
    if (charactersOf(text) > this.character.longest)
      return answer(response, 413, { error: `at most ${this.character.longest} characters` })
    if (this.happens("create-429", text)) return answer(response, 429, { error: "slow down" })
    if (this.happens("create-429-retry-after", text))
      return answer(response, 429, { error: { message: "slow down" } }, { "retry-after": "1" })
    if (this.happens("create-503", text))
      return answer(response, 503, "<html><h1>Service Unavailable</h1></html>")
    if (this.happens("create-500-before", text)) return answer(response, 500, "Internal Server Error")
    if (this.happens("create-drop-before", text)) return void response.destroy()
    const price = (this.character.price ?? 0) * charactersOf(text)
    if (earlier !== undefined)
      return answer(response, 200, this.wrapped({ task_id: earlier.id, status: "pending", credits: price }))
    if (this.character.credits !== undefined && this.spent + price > this.character.credits)
      return this.character.emptyAccount === 402
        ? answer(response, 402, { message: "insufficient credits" })
        : answer(response, 429, { error: { code: "insufficient_quota" } })
    const [from, to] = this.character.endless?.test(text) === true ? [1e9, 1e9] : this.character.settle
    const now = Date.now()
    const task: Charged = {
      id: randomUUID(),
      label,
      provider,
      voice,
      text,
      madeAt: now,
      doneAt: now + from + this.random() * (to - from),
      fate: this.happens("task-fails", text)
        ? "fails"
        : this.happens("task-vanishes", text)
          ? "vanishes"
          : "done"
    }
    this.charged.push(task)
    this.named.set(String(key), { id: task.id, body })
    if (this.happens("create-500-after", text)) return answer(response, 502, "<html>Bad Gateway</html>")
    if (this.happens("create-drop-after", text)) return void response.destroy()
    if (this.happens("create-hang-after", text)) return
    // A create that was answered counts as made, also if its task is nowhere: that line could not be spoken.
    if (task.fate !== "vanishes" && this.happens("create-garbage-after", text))
      return answer(response, 200, '{"task_id": "')
    const credits = this.character.price === undefined || !this.character.tellsPrice ? {} : { credits: price }
    answer(response, 201, this.wrapped({ task_id: task.id, status: "pending", ...credits }))
  }

  private balance(response: ServerResponse): void {
    this.count("credits")
    if (this.character.hidesBalance) return
    const others = Math.max(0, this.charged.length - 1) * this.character.othersSpend
    answer(response, 200, { credits: (this.character.credits ?? 1e9) - this.spent - others })
  }

  private look(response: ServerResponse, id: string): void {
    this.count("look")
    const task = this.charged.find((one) => one.id === id)
    const text = task?.text ?? ""
    if (this.happens("look-500", text)) return answer(response, 500, { message: "oh no" })
    if (this.happens("look-drop", text)) return void response.destroy()
    if (this.happens("look-hang", text)) return
    const forgotten = this.forgotten.get(id)
    if (forgotten !== undefined && forgotten < this.character.forgets) {
      this.forgotten.set(id, forgotten + 1)
      return answer(response, 404, { message: "not found, for now" })
    }
    if (this.happens("look-404", text)) return answer(response, 404, { message: "not found, yet" })
    if (this.happens("look-429", text)) return answer(response, 429, "")
    if (this.happens("look-html", text)) return answer(response, 200, "<html>one moment</html>")
    if (task === undefined || (task.fate === "vanishes" && Date.now() > task.doneAt))
      return answer(response, 404, { message: "no such task" })
    answer(response, 200, this.wrapped(this.recordOf(task)))
  }

  private recordOf(task: Charged): object {
    const over = Date.now() >= task.doneAt
    return {
      id: task.id,
      ...(this.character.echoes ? { voice_name: task.label } : {}),
      provider: task.provider,
      voice_id: task.voice,
      characters: charactersOf(task.text),
      created_at: new Date(task.madeAt).toISOString(),
      state: !over ? "brewing" : task.fate === "fails" ? "FAILED" : "finished",
      ...(over && task.fate === "fails" ? { message: `the engine fell over${this.slip}` } : {}),
      ...(this.character.repeatsKey ? { engine: this.slip } : {}),
      ...(over && task.fate === "done" ? { audio_url: this.linkTo(task) } : {})
    }
  }

  private linkTo(task: Charged): string {
    const name = randomUUID()
    const expired = this.happens("link-expires", task.text)
    this.links.set(name, { id: task.id, until: expired ? 0 : Infinity })
    return `${this.character.otherHost ? addressOf(this.media) : ""}/audio/${name}`
  }

  private audio(request: IncomingMessage, response: ServerResponse): void {
    this.count("audio")
    const link = this.links.get((request.url ?? "").slice("/audio/".length))
    const task = this.charged.find((one) => one.id === link?.id)
    if (task !== undefined) this.forgotten.set(task.id, this.forgotten.get(task.id) ?? 0)
    if (link === undefined || task === undefined || Date.now() > link.until)
      return answer(
        response,
        403,
        "<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>"
      )
    const { text } = task
    if (this.happens("audio-500", text)) return answer(response, 500, "")
    if (this.happens("audio-drop", text)) return void response.destroy()
    if (this.happens("audio-html", text))
      return answer(response, 200, "<!doctype html><title>Sign in</title>")
    if (this.happens("audio-empty", text)) return sound(response, new Uint8Array())
    if (this.happens("audio-noise", text)) return sound(response, new Uint8Array(2_000).fill(0xa5))
    if (this.happens("audio-silent", text)) return sound(response, silence(text))
    const bytes = this.character.sound ?? babble(text)
    if (this.happens("audio-stalls", text)) return void response.write(bytes.subarray(0, 100))
    if (this.happens("audio-trickles", text)) return trickle(response, bytes)
    if (this.happens("audio-short", text)) return sound(response, bytes.subarray(0, bytes.length / 2))
    if (this.happens("audio-cut", text)) {
      response.writeHead(200, { "content-length": bytes.length, "content-type": "audio/wav" })
      response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
      return
    }
    sound(response, bytes)
  }

  private history(response: ServerResponse, url: URL): void {
    this.count("history")
    if (this.happens("history-500", url.search)) return answer(response, 500, "")
    if (this.happens("history-drop", url.search)) return void response.destroy()
    const limit = Math.min(25, Number(url.searchParams.get("limit") ?? 10))
    const page = Number(url.searchParams.get("page") ?? 1)
    const newest = [...this.charged]
      .reverse()
      .filter((task) => task.fate !== "vanishes" || Date.now() < task.doneAt)
    const entries = newest.slice((page - 1) * limit, page * limit).map((task) => this.recordOf(task))
    answer(response, 200, this.character.envelope === "none" ? entries : { data: { items: entries } })
  }

  /** What is added to messages. */
  private get slip(): string {
    return this.character.repeatsKey ? `, key ${this.character.key}` : ""
  }

  private wrapped(fields: object): object {
    const { envelope } = this.character
    return envelope === "none" ? fields : { success: true, id: "request-1", [envelope]: fields }
  }
}

const listening = (server: Server, host: string): Promise<void> =>
  new Promise((ready) => server.listen(0, host, () => ready()))

const addressOf = (server: Server): string => {
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("not listening")
  const { port, address: host }: AddressInfo = address
  return `http://${host}:${port}`
}

const read = async (request: IncomingMessage): Promise<string> => {
  const pieces: Array<Buffer> = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces).toString("utf8")
}

const answer = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {}
): void => {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...headers
  })
  response.end(text)
}

const sound = (response: ServerResponse, bytes: Uint8Array): void => {
  response.writeHead(200, { "content-type": "audio/wav", "content-length": bytes.length })
  response.end(bytes)
}

/** Sends a hundred bytes per second until the client disconnects. */
const trickle = (response: ServerResponse, bytes: Uint8Array): void => {
  let sent = 0
  const drip = setInterval(() => response.write(bytes.subarray(sent, (sent += 5))), 50)
  response.once("close", () => clearInterval(drip))
}
