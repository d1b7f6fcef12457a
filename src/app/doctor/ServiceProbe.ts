/** The probe of `doctor`: creates one short task, follows it to its end, and says how the service answers. */
import { randomBytes } from "node:crypto"
import { Prompt } from "@effect/cli"
import { Array, Clock, Effect, Either } from "effect"
import { stringify } from "yaml"
import type { Manifest } from "../../domain/manifest/Manifest.ts"
import { type Dialect, dialectOf } from "../../domain/manifest/ServiceDialect.ts"
import { Casting } from "../../domain/speech/Casting.ts"
import { profileOf, ProviderProfile } from "../../domain/speech/ProviderProfile.ts"
import { makeUtterance } from "../../domain/speech/Utterance.ts"
import { labelWithMarker, TaskMarker } from "../../domain/task/TaskMarker.ts"
import { ProviderId, TaskId, VoiceId, type ModelId } from "../../domain/values/Ids.ts"
import { Gateway } from "../../gateway/Gateway.ts"
import { composeCreate } from "../../gateway/requests/NamedCreate.ts"
import { dialectSeen, idGuesses, pathOf, type SeenTask } from "./DialectGuess.ts"
import {
  audioGuesses,
  fieldIn,
  foundList,
  idIn,
  leavesOf,
  namesIn,
  stateIn,
  taskOf
} from "../../gateway/exchange/ResponseReading.ts"
import { creditsStated, instantOf } from "../../gateway/exchange/TaskSnapshot.ts"
import { extensionOf } from "../../pipeline/clips/AudioFormatDetection.ts"
import { askStated, statedPrice } from "../../pipeline/plan/StatedRules.ts"
import { srtInput } from "../../script/utterances/SrtPayload.ts"
import { badUsage } from "../ExitCodes.ts"
import { Screen } from "../terminal/Screen.ts"
import { type Check, warning, well, wrong } from "./DoctorChecks.ts"

export interface ProbeOptions {
  readonly manifest: string | undefined
  readonly provider: ProviderId | undefined
  readonly voice: VoiceId | undefined
  readonly model: ModelId | undefined
  readonly yes: boolean
}

/** A task that is unknown for this long was not found, and one that has not ended after this long is given up. */
const maxUnknown = 2 * 60_000
const maxTask = 15 * 60_000

/** Polls of a task that is done, but has no audio, before it is given up. */
const maxSilentLooks = 5

/** Runs the probe; without consent it creates nothing. Nothing is created twice, whatever the service answers. */
export const probeService = Effect.fn("ServiceProbe.probeService")(function* (
  options: ProbeOptions,
  manifest: Manifest | undefined
) {
  const screen = yield* Screen
  const { plainCreate, plainTasks, reads } = yield* Gateway
  const { dialect: setting, body } =
    (typeof manifest?.service === "object" ? manifest.service : undefined) ?? {}
  const base = dialectOf(setting, body)
  const { casting, language } = yield* castingOf(options, manifest)
  const { rules } = yield* Effect.orElseSucceed(askStated, () => ({ rules: new Map() }))
  const profile = ProviderProfile.make({
    ...profileOf(casting.provider, rules.get(casting.provider)),
    ...manifest?.providers?.[casting.provider]
  })
  const isSrt = profile.minChars > said.length && profile.srtInput
  const words = Array.makeBy(Math.max(1, Math.ceil((profile.minChars + 1) / (said.length + 1))), () => said)
  const text = isSrt ? srtInput([said]) : words.join(" ")
  const utterance = makeUtterance(casting, isSrt ? "srt" : "text", text, [said])
  const { characters } = utterance
  const each = profile.creditsPerCharacter ?? statedPrice(rules)(casting)
  const price = each === undefined ? "an unknown price" : `about ${each * characters} credits`
  yield* screen.say(
    `The probe creates one task, for ${price}: ${characters} characters, voice ${casting.voice} of ${casting.provider}.`
  )
  if (!(yield* consent(options))) {
    yield* screen.say("Nothing was created.")
    return []
  }

  const mark = TaskMarker.make(`dw-${randomBytes(6).toString("hex")}`)
  const label = labelWithMarker("probe", mark)
  const create = composeCreate(utterance, label, profile, mark, { dialect: base, language })
  const before = yield* balance
  const made = yield* Effect.either(plainCreate(create))
  if (Either.isLeft(made)) {
    const isCertain = made.left._tag !== "InvalidResponse"
    const rest = isCertain ? "nothing was created" : "it may have made a task; nothing is sent again"
    return [wrong("Create", `${made.left.message}; ${rest}`, "dubwright tasks lists the account's tasks")]
  }
  const { value, said: answer } = made.right
  const known = idIn(value, base)
  const guesses = idGuesses(value, [text, said, label, casting.voice, casting.provider, casting.model ?? ""])
  const ids = Array.dedupe([...(known === undefined ? [] : [known]), ...guesses.map((leaf) => leaf.value)])
  const { id, looks, sound, problem } = yield* follow(ids, base, characters)
  if (id === undefined) {
    const isGuess = (path: string) => guesses.some((leaf) => leaf.path === path)
    const fields = leavesOf(value).map(
      (leaf) =>
        `\n    ${leaf.path} = ${leaf.value.slice(0, 100)}${isGuess(leaf.path) ? `, could be the id: fields: { id: [${leaf.path}] }` : ""}`
    )
    return [
      wrong(
        "Task id",
        `the answer names no task that the service knows: ${answer === "" ? "it is empty" : answer}${problem === undefined ? "" : `; ${problem}`}; looked for ${base.fields.id.join(", ")}; its fields:${fields.join("") || " none"}`,
        "name the id in service.dialect.fields.id, or the path in service.dialect.paths.task; nothing is created again"
      )
    ]
  }

  const history = yield* Effect.either(plainTasks)
  const rows = Either.isRight(history) ? foundList(history.right.value, "tasks") : undefined
  const at = rows?.findIndex((one) => leavesOf(one).some((leaf) => leaf.value === id)) ?? -1
  const seen = { id, create: value, looks, row: rows?.[at], audio: sound?.address, text, label }
  const found = dialectSeen(setting, seen)
  const dialect = dialectOf(found.setting)
  const [stated = "not"] = [...looks, value, seen.row].flatMap(
    (one) => creditsStated(taskOf(one, id, dialect).credits) ?? []
  )
  const left = `balance ${before ?? "unknown"} before, ${(yield* balance) ?? "unknown"} after`
  const { idempotency } = yield* Effect.orElseSucceed(reads.health, () => ({ idempotency: undefined }))
  return [
    well("Create", answer),
    well("Task id", `${id}, at ${pathOf(value, id) ?? "an unknown place"}${known === id ? "" : ", a guess"}`),
    ...taskChecks(seen, dialect, sound, problem),
    well("Credits", `${stated} stated for the task; ${left}`),
    ...historyChecks(seen, rows, dialect, Either.isLeft(history) ? history.left.message : undefined),
    well(
      "Idempotency",
      `${idempotency === undefined ? "not stated" : `keys are kept for ${Math.round(idempotency.retention_seconds / 3_600)} h, as the service states`}; not tried, because that would cost another create`
    ),
    dialectCheck(found, sound !== undefined, options.manifest?.endsWith(".json") === true)
  ]
})

/** What the task says, in any language. */
const said = "OK."

/** Asks before the task is created, unless the command line says yes. */
const consent = Effect.fnUntraced(
  function* ({ yes }: ProbeOptions) {
    if (yes) return true
    if (!process.stdin.isTTY || !process.stdout.isTTY)
      return yield* badUsage(
        "--probe asks on a terminal before it creates its task, and this is none; nothing was created; pass --yes to create it"
      )
    return yield* Prompt.confirm({ message: "Create it?", initial: false })
  },
  Effect.catchTag("QuitException", () => Effect.interrupt)
)

/** The voice of the command line, else of the manifest, else the first one that the service lists. */
const castingOf = Effect.fnUntraced(function* (options: ProbeOptions, manifest: Manifest | undefined) {
  const { reads } = yield* Gateway
  const job = { ...manifest?.defaults, ...manifest?.jobs[0] }
  const provider = options.provider ?? (options.voice === undefined ? job.provider : undefined)
  const voice = options.voice ?? (options.provider === undefined ? job.voice : undefined)
  const model = options.model ?? job.model
  const language = job.language?.includes("{") === true ? manifest?.defaults?.language : job.language
  const listed =
    provider !== undefined && voice !== undefined
      ? undefined
      : yield* reads.voices({ provider, limit: 100 }).pipe(
          Effect.map(({ voices }) =>
            voices.find(({ voice_id }) => voice === undefined || voice === voice_id)
          ),
          Effect.orElseSucceed(() => undefined)
        )
  const named = provider ?? listed?.provider
  const spoken = voice ?? listed?.voice_id
  if (named === undefined || named === "" || spoken === undefined)
    return yield* badUsage(
      "the service lists no such voice; name one with --voice and its provider with --provider; nothing was created"
    )
  const casting = Casting.make({
    provider: ProviderId.make(named),
    voice: VoiceId.make(spoken),
    ...(model === undefined ? {} : { model })
  })
  return { casting, language }
})

/** The account's credits; undefined if unlimited, or not stated within 10 s. */
const balance = Effect.flatMap(Gateway, (gateway) =>
  gateway.balance.pipe(
    Effect.timeout("10 seconds"),
    Effect.orElseSucceed(() => undefined)
  )
)

/** Follows a task that may have one of these ids, and fetches its audio. */
const follow = Effect.fnUntraced(function* (
  ids: ReadonlyArray<string>,
  dialect: Dialect,
  characters: number
) {
  const { plainTask, fetch } = yield* Gateway
  const begun = yield* Clock.currentTimeMillis
  const looks: Array<unknown> = []
  const tried = new Set<string>()
  let id: string | undefined
  let problem: string | undefined
  let silent = 0
  if (ids.length === 0) return { id, looks, problem }
  for (let wait = 250; ; wait = Math.min(5_000, wait * 1.5)) {
    for (const one of id === undefined ? ids : [id]) {
      const answer = yield* Effect.either(plainTask(one))
      if (Either.isLeft(answer)) {
        problem = answer.left.message
        continue
      }
      const { value } = answer.right
      id = one
      if (looks.length === 0 || JSON.stringify(value) !== JSON.stringify(looks.at(-1))) {
        looks.push(value)
        tried.clear()
      }
      const { status, audio_url, error, ...task } = taskOf(value, id, dialect)
      if (status === "failed") return { id, looks, problem: `the task failed: ${error?.message ?? ""}` }
      const stated = status === "done" && audio_url !== undefined ? [audio_url] : []
      for (const address of [...stated, ...audioGuesses(value, id).map((leaf) => leaf.value)]) {
        if (tried.has(address)) continue
        tried.add(address)
        const done = { _tag: "Done", task: TaskId.make(id), audio: address, ...nothingElse } as const
        const fetched = yield* Effect.either(fetch(done, characters))
        if (Either.isLeft(fetched)) problem = `${address}: ${fetched.left.message}`
        else if (stated.includes(address) || extensionOf(fetched.right.audio) !== "bin")
          return { id, looks, sound: { address, bytes: fetched.right.audio }, problem: undefined }
      }
      silent = status === "done" || task.silent !== undefined ? silent + 1 : 0
      if (silent >= maxSilentLooks)
        return { id, looks, problem: `done, but no audio: ${problem ?? "no address"}; ${answer.right.said}` }
      break
    }
    const waited = (yield* Clock.currentTimeMillis) - begun
    if (waited > (id === undefined ? maxUnknown : maxTask))
      return { id, looks, problem: problem ?? `not done after ${Math.round(waited / 60_000)} minutes` }
    yield* Effect.sleep(wait)
  }
})

const nothingElse = {
  srt: undefined,
  json: undefined,
  label: undefined,
  seconds: undefined,
  took: undefined,
  engine: undefined
}

type Sound = { readonly address: string; readonly bytes: Uint8Array } | undefined

const taskChecks = (
  { create, looks, id }: SeenTask,
  dialect: Dialect,
  sound: Sound,
  problem: string | undefined
): ReadonlyArray<Check> => {
  const last = looks.at(-1)
  const seen = [create, ...looks].map((look) => {
    const progress = fieldIn(look, "progress", dialect)
    return stateIn(look, dialect) || (progress === undefined ? "" : `progress ${progress}`)
  })
  const states = seen.filter((word, at) => word !== "" && word !== seen[at - 1]).join(", then ")
  const offered = (["srt", "json"] as const).flatMap((format) => {
    const address = fieldIn(last, format, dialect)
    return address === undefined ? [] : [`${format.toUpperCase()} at ${pathOf(last, address) ?? address}`]
  })
  return [
    well("States", states === "" ? "none" : states),
    sound === undefined
      ? wrong(
          "Audio",
          `task ${id}: ${problem ?? "not found"}; its fields: ${namesIn(last)}`,
          "name the field of its address in service.dialect.fields.audio"
        )
      : well(
          "Audio",
          `at ${leavesOf(last).find(({ value }) => value === sound.address)?.path ?? ""}, ${sound.bytes.length} bytes of ${extensionOf(sound.bytes)}`
        ),
    well("Transcript", offered.length === 0 ? "not offered" : offered.join(", "))
  ]
}

const historyChecks = (
  { id, row, text, label }: SeenTask,
  rows: ReadonlyArray<unknown> | undefined,
  dialect: Dialect,
  fault: string | undefined
): ReadonlyArray<Check> => {
  if (row === undefined || rows === undefined) {
    const found = fault ?? (rows === undefined ? "its answer has no list" : "it does not list the task")
    const remedy = "name its path in service.dialect.paths.tasks: lost creates cannot be found without it"
    return [warning("History", found, remedy)]
  }
  const { voice_name, text: said = "" } = taskOf(row, id, dialect)
  const times = rows.flatMap((one) => instantOf(taskOf(one, id, dialect).created_at) ?? [])
  const later = Math.sign((times[0] ?? 0) - (times.at(-1) ?? 0))
  const order = later !== 0 ? later : rows.length < 2 ? 0 : rows[0] === row ? 1 : -1
  const echoed = (read: string, sent: string) =>
    read === ""
      ? "not echoed"
      : `echoed${read === sent ? "" : ` as "${read.slice(0, 100)}"`}, at ${pathOf(row, read) ?? "an unknown place"}`
  return [
    well("History", ["not newest first", "one task: its order is unknown", "newest first"][order + 1] ?? ""),
    well("Label", echoed(voice_name ?? "", label)),
    well("Text", echoed(said, text))
  ]
}

const dialectCheck = (
  { setting, isRead }: ReturnType<typeof dialectSeen>,
  isHeard: boolean,
  asJson: boolean
): Check => {
  const block = asJson ? `"dialect": ${JSON.stringify(setting, null, 2)}` : stringify({ dialect: setting })
  const found = `for the manifest, under service:\n${block.trimEnd().replaceAll(/^/gmu, "  ")}`
  const unread = "a run cannot read these answers by it: see above, and docs/providers.md"
  return {
    ...(isRead && isHeard ? well("Dialect", found) : wrong("Dialect", found, unread)),
    dialect: setting
  }
}
