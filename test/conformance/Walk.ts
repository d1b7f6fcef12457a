/**
 * Checks a service against the public interface, point by point. Points that the interface leaves open are neither
 * assumed nor checked.
 */
import { fieldOf, idOf, isRecord, listOf, pause, type Answer, type Service } from "./Service.ts"

/** Result of a check: the point holds, is violated, or could not be checked. */
export interface Finding {
  /** Section of the interface document, and what it requires. */
  readonly point: string
  readonly verdict: "holds" | "broken" | "skipped"
  /** The observed behaviour, or why the check was skipped. */
  readonly detail: string
}

/** Options of a check run. */
export interface WalkOptions {
  /** Providers in which tasks are created; empty to only read. */
  readonly providers: ReadonlyArray<string>
  /** Timeout for a task in seconds. */
  readonly patience: number
}

export const providerIds = [
  "provider_expressive",
  "provider_fast",
  "provider_native",
  "provider_lowcost",
  "provider_opensource"
] as const

/** Checks all points and reports each finding at once. Deletes the tasks that it created. */
export const walk = async (
  service: Service,
  options: WalkOptions,
  tell: (finding: Finding) => void
): Promise<ReadonlyArray<Finding>> => {
  const findings: Array<Finding> = []
  const check: Check = async (point, examine) => {
    let finding: Finding
    try {
      finding = { point, verdict: "holds", detail: (await examine()) ?? "" }
    } catch (cause) {
      finding =
        cause instanceof Skipped
          ? { point, verdict: "skipped", detail: cause.message }
          : { point, verdict: "broken", detail: cause instanceof Error ? cause.message : String(cause) }
    }
    findings.push(finding)
    tell(finding)
  }
  await keys(service, check)
  await reading(service, check)
  await refusals(service, check)
  const made: Array<string> = []
  try {
    for (const provider of options.providers) await speaking(service, provider, options, made, check)
    if (options.providers.includes("provider_native")) await native(service, options, made, check)
    if (options.providers.length > 0) await history(service, made, check)
  } finally {
    await deleting(service, made, check)
  }
  return findings
}

type Check = (point: string, examine: () => Promise<string | undefined>) => Promise<void>

class Skipped extends Error {}

class NotAsWritten extends Error {}

const expect = (holds: boolean, seen: string): void => {
  if (!holds) throw new NotAsWritten(seen)
}

const succeeded = (answer: Answer): Answer => {
  expect(answer.ok, `HTTP ${answer.status}: ${text(answer)}`)
  return answer
}

const refused = (answer: Answer): undefined => {
  expect(
    answer.status >= 400 && answer.status < 500,
    `HTTP ${answer.status} where a rejection (4xx) was expected`
  )
  return undefined
}

const text = (answer: Answer): string => new TextDecoder().decode(answer.bytes.subarray(0, 200))

const keys = async (service: Service, check: Check): Promise<void> => {
  const paths = ["/v1/health-check", "/v1/credits", "/v1/providers", "/v1/models", "/v1/voices", "/v1/tasks"]
  for (const path of paths) {
    await check(`5.1 ${path} needs the key header`, async () =>
      refused(await service.ask(path, { key: null }))
    )
  }
  await check("5.2 a key that was not issued is rejected", async () =>
    refused(await service.ask("/v1/credits", { key: `nativeapikey_${"x".repeat(43)}` }))
  )
  await check("5.2 a tool login key is rejected", async () =>
    refused(
      await service.ask("/v1/credits", { key: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ0b29sIn0.c2lnbmF0dXJl" })
    )
  )
}

const reading = async (service: Service, check: Check): Promise<void> => {
  await check("4 GET /v1/health-check answers", async () => {
    succeeded(await service.ask("/v1/health-check"))
    return undefined
  })
  await check("4 GET /v1/credits returns the account's credits", async () => {
    const { json } = succeeded(await service.ask("/v1/credits"))
    expect(isRecord(json) || typeof json === "number", "neither an object nor a number")
    return undefined
  })
  await check("2, 4 GET /v1/providers returns providers and their features", async () => {
    const answer = succeeded(await service.ask("/v1/providers"))
    const said =
      text({ ...answer, bytes: answer.bytes.subarray(0, 0) }) + new TextDecoder().decode(answer.bytes)
    const missing = providerIds.filter((id) => !said.includes(`"${id}"`))
    expect(missing.length < providerIds.length, "none of the five provider ids")
    return missing.length === 0 ? undefined : `not offered here: ${missing.join(", ")}`
  })
  await check("4 GET /v1/models without a provider lists all models", async () => {
    const all = new Set((await models(service, "")).map((model) => idOf(model, "model")))
    expect(all.size > 0 && !all.has(""), "a model without an id, or no model at all")
    for (const provider of providerIds) {
      const own = (await models(service, `?provider=${provider}`)).map((model) => idOf(model, "model"))
      const strange = own.find((id) => !all.has(id))
      expect(
        strange === undefined,
        `${provider} has the model ${strange ?? ""}, which is not in the full list`
      )
    }
    return undefined
  })
  await check("4 GET /v1/models?provider= lists that provider's models", async () => {
    const named = (await models(service, "?provider=provider_native")).map((model) => model["provider"])
    expect(
      named.every((provider) => provider === undefined || provider === "provider_native"),
      "a model of another provider"
    )
    return undefined
  })
  await check("4 GET /v1/voices: limit is the page size", async () => {
    const found = await voices(service, "?limit=1")
    expect(found.length === 1, `${found.length} voices where limit=1`)
    return undefined
  })
  await check("4 GET /v1/voices?provider= lists that provider's voices", async () => {
    const named = (await voices(service, "?provider=provider_native")).map((voice) => voice["provider"])
    expect(named.length > 0, "no voice")
    expect(
      named.every((provider) => provider === undefined || provider === "provider_native"),
      "a voice of another provider"
    )
    return undefined
  })
  await check("4 GET /v1/voices?search= searches voices", async () => {
    const [voice] = await voices(service, "?limit=1")
    const name = voice?.["name"]
    if (voice === undefined || typeof name !== "string")
      throw new Skipped("voices have no names to search for")
    const found = await voices(service, `?search=${encodeURIComponent(name)}`)
    expect(
      found.some((each) => idOf(each, "voice") === idOf(voice, "voice")),
      `searching for "${name}" does not find it`
    )
    const none = await voices(service, "?search=zqxjkvwpyzqxjkvw")
    expect(none.length === 0, "searching for nonsense finds voices")
    return undefined
  })
  await check("4 GET /v1/tasks: limit is the page size", async () => {
    const found = listOf(succeeded(await service.ask("/v1/tasks?limit=1")).json)
    expect(found !== undefined && found.length <= 1, "no list, or more than one task where limit=1")
    return undefined
  })
}

const refusals = async (service: Service, check: Check): Promise<void> => {
  const [voice] = await voices(service, "?limit=1").catch(() => [])
  const path = `/v1/text-to-speech/${encodeURIComponent(voice === undefined ? "none" : idOf(voice, "voice"))}`
  const provider = voice?.["provider"] ?? "provider_fast"
  const post = (body: unknown, to = path) => service.ask(to, { method: "POST", body })
  await check("4 text is required", async () => refused(await post({ provider })))
  await check("4 provider is required", async () => refused(await post({ text: longText })))
  await check("4 provider must be a known id", async () =>
    refused(await post({ text: longText, provider: "provider_that_is_none" }))
  )
  await check("4 voice_id must name a voice", async () =>
    refused(await post({ text: longText, provider }, "/v1/text-to-speech/no-such-voice-zqxjkv"))
  )
  await check("4 an unknown task is rejected", async () =>
    refused(await service.ask(`/v1/task/${crypto.randomUUID()}`))
  )
  await check("4 DELETE /v1/task/delete needs a task_id", async () =>
    refused(await service.ask("/v1/task/delete", { method: "DELETE", body: {} }))
  )
}

const speaking = async (
  service: Service,
  provider: string,
  options: WalkOptions,
  made: Array<string>,
  check: Check
): Promise<void> => {
  const found = await voices(service, `?provider=${provider}&limit=1`).catch(() => [])
  const [model] = await models(service, `?provider=${provider}`).catch(() => [])
  const voice = found[0] === undefined ? "" : idOf(found[0], "voice")
  const label = `conformance ${provider}`
  let task = ""
  await check(`4 POST /v1/text-to-speech/{voice_id} makes a task of ${provider}`, async () => {
    if (voice === "") throw new Skipped("it offers no voice here")
    task = await create(service, voice, {
      text: longText,
      provider,
      voice_name: label,
      with_transcript: true,
      ...(model === undefined ? {} : { model_id: idOf(model, "model") })
    })
    made.push(task)
    return undefined
  })
  await check(
    `3.1 the task of ${provider} is done when it has an audio_url, and the audio exists`,
    async () => {
      if (task === "") throw new Skipped("there is no task")
      const done = await settled(service, task, options.patience)
      const audio = await service.download(String(fieldOf(done, "audio_url")))
      expect(audio.ok, `its audio URL returns HTTP ${audio.status}`)
      expect(isSound(audio.bytes), `its audio begins with "${text(audio).slice(0, 20)}", which is not audio`)
      return `${audio.bytes.length} bytes`
    }
  )
  await check(`2 the task of ${provider} keeps its voice_name`, async () => {
    if (task === "") throw new Skipped("there is no task")
    const { json } = succeeded(await service.ask(`/v1/task/${task}`))
    expect(fieldOf(json, "voice_name") === label, `voice_name is ${String(fieldOf(json, "voice_name"))}`)
    return undefined
  })
  await check(`2 transcripts of ${provider}, if any, can be fetched and read`, async () => {
    if (task === "") throw new Skipped("there is no task")
    const { json } = succeeded(await service.ask(`/v1/task/${task}`))
    const srt = fieldOf(json, "srt_url")
    const transcript = fieldOf(json, "json_url")
    if (typeof srt !== "string" && typeof transcript !== "string")
      throw new Skipped("the task has no transcripts")
    if (typeof srt === "string") readableSrt(succeeded(await service.download(srt)))
    if (typeof transcript === "string") {
      expect(
        succeeded(await service.download(transcript)).json !== undefined,
        "json_url does not return JSON"
      )
    }
    return undefined
  })
}

const native = async (
  service: Service,
  options: WalkOptions,
  made: Array<string>,
  check: Check
): Promise<void> => {
  const [found] = await voices(service, "?provider=provider_native&limit=1").catch(() => [])
  const voice = found === undefined ? "" : idOf(found, "voice")
  const provider = "provider_native"
  await check("8 provider_native rejects plain text under 100 characters", async () => {
    if (voice === "") throw new Skipped("it offers no voice here")
    return refused(
      await service.ask(`/v1/text-to-speech/${encodeURIComponent(voice)}`, {
        method: "POST",
        body: { text: "x".repeat(99), provider }
      })
    )
  })
  await check(
    "1.5 provider_native accepts an SRT, even a short one, and export_srt returns an SRT",
    async () => {
      if (voice === "") throw new Skipped("it offers no voice here")
      const task = await create(service, voice, { text: shortSrt, provider, export_srt: true })
      made.push(task)
      const done = await settled(service, task, options.patience)
      const audio = succeeded(await service.download(String(fieldOf(done, "audio_url"))))
      expect(isSound(audio.bytes), "audio_url does not return audio")
      const srt = fieldOf(done, "srt_url")
      if (typeof srt !== "string") throw new Skipped("the task has no srt_url")
      readableSrt(succeeded(await service.download(srt)))
      return undefined
    }
  )
  await check("4 provider_native accepts speed, vol and pitch", async () => {
    if (voice === "") throw new Skipped("it offers no voice here")
    made.push(await create(service, voice, { text: longText, provider, speed: 1, vol: 1, pitch: 0 }))
    return undefined
  })
}

const history = async (service: Service, made: ReadonlyArray<string>, check: Check): Promise<void> => {
  await check("4 GET /v1/tasks lists the account's tasks, page by page", async () => {
    const missing = new Set(made)
    const seen = new Set<string>()
    // Whether pages count from 0 or 1 is open: the first request has no page number, and a rejected page 0 is no fault.
    for (let page = -1; page <= 50 && missing.size > 0; page++) {
      const answer = await service.ask(`/v1/tasks?limit=20${page < 0 ? "" : `&page=${page}`}`)
      if (page === 0 && !answer.ok) continue
      const ids = (listOf(succeeded(answer).json) ?? []).map((task) => idOf(task, "task"))
      if (page > 1 && ids.every((id) => seen.has(id))) break
      for (const id of ids) {
        seen.add(id)
        missing.delete(id)
      }
    }
    expect(missing.size === 0, `${missing.size} of ${made.length} tasks are not in the history`)
    return undefined
  })
}

const deleting = async (service: Service, made: ReadonlyArray<string>, check: Check): Promise<void> => {
  for (const task of made) {
    await check("4 DELETE /v1/task/delete deletes a task", async () => {
      const answer = await patiently(() =>
        service.ask("/v1/task/delete", { method: "DELETE", body: { task_id: task } })
      )
      succeeded(answer)
      refused(await service.ask(`/v1/task/${task}`))
      return undefined
    })
  }
}

/** Retries while the response is 409: a task that is being spoken may not be deletable yet. */
const patiently = async (attempt: () => Promise<Answer>): Promise<Answer> => {
  for (let left = 60; ; left--) {
    const answer = await attempt()
    if (answer.status !== 409 || left === 0) return answer
    await pause(500)
  }
}

const create = async (service: Service, voice: string, body: unknown): Promise<string> => {
  const { json } = succeeded(
    await service.ask(`/v1/text-to-speech/${encodeURIComponent(voice)}`, { method: "POST", body })
  )
  const task = fieldOf(json, "task_id")
  expect(typeof task === "string" && uuid.test(task), `task_id is ${String(task)}, not a UUID`)
  return String(task)
}

const settled = async (service: Service, task: string, patience: number): Promise<unknown> => {
  const until = Date.now() + patience * 1000
  for (let wait = 100; ; wait = Math.min(5_000, wait * 1.3)) {
    const { json } = succeeded(await service.ask(`/v1/task/${task}`))
    if (typeof fieldOf(json, "audio_url") === "string") return json
    const state = String(fieldOf(json, "status") ?? fieldOf(json, "state") ?? "")
    expect(
      !/fail|error|cancel|expired/iu.test(state),
      `the task ended as "${state}": ${JSON.stringify(json)}`
    )
    expect(Date.now() < until, `no audio_url after ${patience} seconds`)
    await pause(wait)
  }
}

const models = async (service: Service, query: string) => {
  const found = listOf(succeeded(await service.ask(`/v1/models${query}`)).json)
  expect(found !== undefined, "no list of models")
  return found ?? []
}

const voices = async (service: Service, query: string) => {
  const found = listOf(succeeded(await service.ask(`/v1/voices${query}`)).json)
  expect(found !== undefined, "no list of voices")
  return found ?? []
}

/** Whether bytes look like audio: they do not begin like text, and are longer than a header. */
const isSound = (bytes: Uint8Array): boolean =>
  bytes.length > 500 && bytes.subarray(0, 64).some((byte) => byte > 126 || byte < 9)

const readableSrt = (answer: Answer): void => {
  const said = new TextDecoder().decode(answer.bytes)
  expect(
    /^\d+\s+\d{2,}:\d{2}:\d{2}[,.]\d{3} --> \d{2,}:\d{2}:\d{2}[,.]\d{3}/u.test(said.trimStart()),
    "it is not SRT"
  )
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu

/** Over a hundred characters, so that every provider accepts it. */
const longText =
  "This sentence was written to be spoken by a machine. It says nothing of weight, and it says so at a length of more than a hundred characters."

const shortSrt =
  "1\n00:00:00,500 --> 00:00:02,000\nXin chào.\n\n2\n00:00:02,500 --> 00:00:04,000\nTạm biệt.\n"
