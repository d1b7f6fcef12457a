/** The health, credits, providers, models, voices and tasks commands: print a service's response as a table or JSON. */
import { Effect } from "effect"
import { Gateway } from "../../gateway/Gateway.ts"
import { instantOf, creditsStated } from "../../gateway/exchange/TaskSnapshot.ts"
import { type BundledService, bundledService } from "../../library/layers/BundledService.ts"
import { bundledCatalogue } from "../../service/catalogue/BundledCatalogue.ts"
import { chosenService, readingFrom, type ServiceFlags } from "../layers/GatewayLayer.ts"
import { allPages } from "../layers/Pagination.ts"
import { Screen } from "../terminal/Screen.ts"
import { type Cell, type Look, textTable } from "../terminal/TextTable.ts"

interface ReadOptions extends ServiceFlags {
  readonly json: boolean
  /** The bundled service's data folder; a temporary one if absent. */
  readonly data?: string
}

type Reads = Gateway["reads"]

/**
 * Queries the service and prints its response, as JSON or as a table. `known` is the bundled service's response, if it
 * is known without starting that service.
 */
const asked = <A, E>(
  options: ReadOptions,
  ask: (reads: Reads) => Effect.Effect<A, E>,
  shown: (answer: A, look: Look) => string,
  known: (bundled: BundledService) => A | undefined = () => undefined
) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const service = options.data === undefined ? yield* chosenService(options) : undefined
    const answer =
      (service === "embedded" ? known(yield* bundledService) : undefined) ??
      (yield* Effect.provide(
        Effect.flatMap(Gateway, ({ reads }) => ask(reads)),
        readingFrom(options, options.data)
      ))
    yield* screen.result(options.json ? JSON.stringify(answer, onlySaid, 2) : shown(answer, screen.look))
  })

/** JSON replacer that omits amounts the service did not report. */
const onlySaid = (name: string, value: unknown): unknown =>
  amounts.has(name) && typeof value === "number" ? creditsStated(value) : value

const amounts = new Set(["credits", "used", "reserved", "credits_per_character", "free_bytes"])

export const healthCommand = (options: ReadOptions) =>
  asked(
    options,
    (reads) => reads.health,
    ({ status, version, queue, providers }, look) =>
      [
        `${status}${version === "" ? "" : `, version ${version}`}; ${queue.queued} queued, ${queue.processing} in progress`,
        ...(providers.length === 0
          ? []
          : [
              textTable(
                ["provider", "ready", "reason"],
                providers.map(({ provider, ready, reason }) => [provider, ready ? "yes" : "no", reason]),
                look
              )
            ])
      ].join("\n")
  )

export const creditsCommand = (options: ReadOptions) =>
  asked(
    options,
    (reads) => reads.credits,
    ({ credits, unlimited, used, reserved }, look) =>
      textTable(
        ["credits", "used", "reserved"],
        [[credits ?? (unlimited ? "no limit" : "unknown"), creditsStated(used), creditsStated(reserved)]],
        look
      )
  )

export const providersCommand = (options: ReadOptions) =>
  asked(
    options,
    (reads) => reads.providers,
    ({ providers }, look) =>
      textTable(
        ["provider", "ready", "characters", "SRT input", "transcript", "controls", "default model"],
        providers.map(({ provider, available, features, default_model_id }) => [
          provider,
          available ? "yes" : "no",
          features.max_characters === 0
            ? "unknown"
            : `${features.min_characters} to ${features.max_characters}`,
          features.srt_input ? "yes" : "no",
          features.transcript,
          Object.entries(features.controls)
            .flatMap(([name, range]) => (range === undefined ? [] : [`${name} ${range.min} to ${range.max}`]))
            .join(", "),
          default_model_id
        ]),
        look
      )
  )

export const modelsCommand = (options: ReadOptions & { readonly provider: string | undefined }) =>
  asked(
    options,
    (reads) => reads.models(options.provider),
    ({ models }, look) =>
      textTable(
        ["model", "provider", "credits per character", "languages", "description"],
        models.map((model) => [
          model.model_id,
          model.provider,
          creditsStated(model.credits_per_character),
          languages(model.languages),
          model.description
        ]),
        look
      ),
    (bundled) => {
      const models = bundledCatalogue(options.provider, bundled)?.models
      return models === undefined ? undefined : { models }
    }
  )

export const voicesCommand = (
  options: ReadOptions & {
    readonly provider: string | undefined
    readonly search: string | undefined
    readonly limit: number | undefined
  }
) =>
  asked(
    options,
    (reads) =>
      allPages(
        (page) =>
          reads
            .voices({ provider: options.provider, search: options.search, page, limit: pageSize })
            .pipe(Effect.map(({ voices }) => voices)),
        ({ provider, voice_id }) => `${provider}/${voice_id}`,
        options.limit ?? Number.POSITIVE_INFINITY
      ),
    (voices, look) =>
      textTable(
        ["voice", "provider", "name", "gender", "languages"],
        voices.map(({ voice_id, provider, name, gender, languages: spoken }): ReadonlyArray<Cell> => [
          voice_id,
          provider,
          name,
          gender,
          languages(spoken)
        ]),
        look
      ),
    (bundled) => bundledCatalogue(options.provider, bundled)?.voices(options.search).slice(0, options.limit)
  )

export const tasksCommand = (options: ReadOptions & { readonly limit: number | undefined }) =>
  asked(
    options,
    (reads) =>
      allPages(
        (page) => Effect.map(reads.tasks({ page, limit: pageSize }), ({ tasks }) => tasks),
        ({ task_id }) => task_id,
        options.limit ?? 50
      ),
    (tasks, look) =>
      textTable(
        ["task", "status", "provider", "voice", "characters", "credits", "created (UTC)", "label", "error"],
        tasks.map((task) => [
          task.task_id,
          task.status,
          task.provider,
          task.voice_id,
          task.characters,
          creditsStated(task.credits),
          inUtc(task.created_at),
          task.voice_name,
          task.error?.message
        ]),
        look
      )
  )

/** Formats a creation time in UTC; returns it unchanged if it cannot be parsed. */
const inUtc = (said: string): string => {
  const instant = instantOf(said)
  return instant === undefined ? said : new Date(instant).toISOString().slice(0, 19).replace("T", " ")
}

/** Page size of voice and task lists. */
const pageSize = 100

const languages = (tags: ReadonlyArray<string>): string =>
  tags.length > 6 ? `${tags.slice(0, 5).join(" ")} and ${tags.length - 5} more` : tags.join(" ")
