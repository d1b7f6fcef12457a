/** Draws services: names, envelopes, states, orders, and faults at every call. The same seed draws the same service. */
import { chance } from "../hostile/Chance.ts"
import { babble } from "../hostile/Babble.ts"
import type { Asked, Made, Reply, Shape } from "./AnswerWorld.ts"

/** Shares of calls that end in a fault. */
export interface Faults {
  create: number
  look: number
  list: number
  audio: number
  swap: number
}

/** A drawn service. Its faults may be changed while it answers. */
export interface DrawnService extends Shape {
  readonly fetch: (task: Made) => Reply
  readonly runs: number
  readonly faults: Faults
}

/** Draws a service from a seed. */
export const drawService = (seed: number): DrawnService => {
  const random = chance(seed)
  const pick = <A>(first: A, ...others: ReadonlyArray<A>): A =>
    [first, ...others][Math.floor(random() * (others.length + 1))] ?? first
  const often = (share: number) => random() < share
  const idName = pick(
    ...(["task_id", "task_id", "taskId", "id", "job_id", "jobId", "request_id", "requestId"] as const),
    ...(["projectExportId", "synthesisRef", "ticket"] as const)
  )
  const wrap = pick<(fields: object) => object>(
    (fields) => fields,
    (data) => ({ data }),
    (data) => ({ code: 0, message: "ok", data }),
    (result) => ({ success: true, status: "success", result }),
    (task) => ({ task }),
    (data) => ({ data: [data] }),
    (metadata) => ({ metadata })
  )
  const done = pick("done", "completed", "SUCCESS", "finished", "ready", "fertig", "")
  const busy = pick("processing", "queued", "doing", "1", "")
  const audioName = pick("audio_url", "audioUrl", "output_uri", "url", "all_audio_urls", "file")
  const listName = pick("tasks", "data", "items", "history", "rows")
  const [echoesLabel, echoesText, tellsTime, tellsLength] = [often(0.6), often(0.4), often(0.7), often(0.7)]
  const hidesHistory = often(0.1)
  // In some histories, every other row has no id. Drawn apart, so that no other draw depends on it.
  const losesIds = chance(seed ^ 0x1d)() < 0.1
  const order = pick(1, -1)
  const lag = often(0.2) ? pick(12_000, 25_000, 40_000) : 0
  const faults: Faults = {
    create: often(0.4) ? 0.3 : 0,
    look: often(0.3) ? 0.3 : 0,
    list: often(0.3) ? 0.3 : 0,
    audio: often(0.2) ? 0.3 : 0,
    swap: often(0.1) ? 0.3 : 0
  }
  const address = ({ id }: Made) => `/audio/${id}.wav`
  const noise = (): Reply =>
    pick<Reply>(
      "reset",
      { body: "<html>sign in</html>" },
      { body: "" },
      { body: {} },
      { body: { success: true } },
      { body: [] },
      { body: "\uFEFF{}" },
      { body: new Uint8Array([0x49, 0x44, 0x33, 4, 0, 0]) },
      { status: 500, body: { error: "internal" } },
      { status: 502, body: "<h1>bad gateway</h1>" }
    )
  const fields = (task: Made) => ({
    [idName]: task.id,
    ...(echoesLabel ? { voice_name: task.label } : {}),
    ...(echoesText ? { text: task.text.slice(0, 1000), text_length: task.text.length } : {}),
    ...(tellsLength
      ? { characters: Array.from(task.text).length, provider: "provider_fast", voice_id: "v1" }
      : {}),
    ...(tellsTime ? { created_at: new Date(task.madeAt).toISOString() } : {})
  })
  let latest: Made | undefined
  const create = (_: Asked, make: () => Made): Reply => {
    if (random() < faults.create) {
      const kind = random()
      if (kind < 0.15) return { status: 429, body: { message: "slow down" } }
      if (kind < 0.25) return "refused-connection"
      if (kind < 0.3) return { body: { success: false, message: "no" } }
      if (kind < 0.4) return { status: 401, body: { message: "busy" } }
      // After that, the task may exist.
      if (random() < 0.7) make()
      return noise()
    }
    const task = make()
    const told = latest !== undefined && random() < faults.swap ? latest : task
    latest = task
    return { body: wrap(fields(told)) }
  }
  const look = (task: Made, now: number, looks: number): Reply => {
    if (now - task.madeAt < lag) return { status: 404, body: { message: "no such task" } }
    if (random() < faults.look) return random() < 0.3 ? { status: 404, body: {} } : noise()
    const value = audioName === "all_audio_urls" ? [address(task)] : address(task)
    return {
      body: wrap(
        looks < 2 ? { ...fields(task), status: busy } : { ...fields(task), status: done, [audioName]: value }
      )
    }
  }
  const list = (tasks: ReadonlyArray<Made>): Reply => {
    if (random() < faults.list) return noise()
    const rows = (hidesHistory ? [] : tasks).map((task) => ({
      ...fields(task),
      ...(losesIds && /[13579]$/u.test(task.id) ? { [idName]: undefined } : {})
    }))
    return { body: { [listName]: order === 1 ? rows : rows.reverse() } }
  }
  const fetch = (task: Made): Reply => (random() < faults.audio ? noise() : { body: babble(task.text) })
  return { name: `seed ${seed}`, create, look, list, fetch, faults, runs: pick(1, 1, 2) }
}
