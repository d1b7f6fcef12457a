/** The responses to reads that need no more than the database or the catalogue. */
import { Either } from "effect"
import type { Credits, Health } from "../../contract/Account.ts"
import type { Unprocessable } from "../../contract/Errors.ts"
import type { ModelList, ProviderList, VoicePage } from "../../contract/ProviderCatalogue.ts"
import { accountEventsPath, idempotencyRetention } from "../../contract/SpeechApi.ts"
import type { TaskPage } from "../../contract/Task.ts"
import { version } from "../../domain/values/Version.ts"
import { type Offer, wireProvider } from "../catalogue/Catalogue.ts"
import { searchVoices } from "../catalogue/VoiceSearch.ts"
import type { ProviderHealth } from "../failover/EngineRota.ts"
import type { DiskHealth } from "../failover/ServiceHealth.ts"
import { providerUnknown } from "../tasks/TaskAdmission.ts"
import type { TaskCounts } from "../tasks/TaskQueue.ts"
import type { Balance } from "../tasks/TaskRecord.ts"
import type { DailyCap } from "../tasks/TaskStore.ts"

/** A page of a list. `page` counts from 1. */
export interface Paging {
  readonly page: number
  readonly limit: number
}

/** A page of the account's tasks, of `total` ones. */
export const taskPage = (tasks: TaskPage["tasks"], { page, limit }: Paging, total: number): TaskPage => ({
  tasks,
  page,
  limit,
  total,
  has_more: page * limit < total
})

/** The providers. */
export const providerList = (health: ReadonlyArray<ProviderHealth>): typeof ProviderList.Type => ({
  providers: health.map(({ provider, ready }) => wireProvider(provider, ready))
})

/** What the service's health consists of. */
export interface HealthState {
  readonly isDraining: boolean
  readonly isRoomy: boolean
  /** Whether clients see why an engine is unavailable. */
  readonly candid: boolean
  readonly disk: DiskHealth
  readonly providers: ReadonlyArray<ProviderHealth>
  readonly counts: TaskCounts
  /** Maximum queued tasks. */
  readonly limit: number
}

/** The service's health. */
export const healthResponse = (state: HealthState): Health => ({
  status: state.isDraining
    ? "draining"
    : state.isRoomy && state.providers.every(({ ready }) => ready)
      ? "ok"
      : "degraded",
  version,
  providers: state.providers.map(({ provider, ready, reason }) => ({
    provider: provider.id,
    ready,
    ...(reason === undefined ? {} : { reason: state.candid ? reason : awayForClients })
  })),
  disk: { free_bytes: state.disk.freeBytes, writable: state.disk.writable },
  idempotency: { retention_seconds: idempotencyRetention },
  events: { path: accountEventsPath },
  queue: { ...state.counts, limit: state.limit }
})

/** The reason that clients see for an unavailable engine; the log has the details. */
const awayForClients = "its engine is unavailable"

/** An account's credits, and the day's cap of a key. */
export const creditsResponse = (
  { granted, used, reserved }: Balance,
  daily: DailyCap | undefined
): typeof Credits.Type => ({
  ...(granted === undefined ? {} : { credits: granted - used - reserved }),
  unlimited: granted === undefined,
  used,
  reserved,
  ...(daily === undefined
    ? {}
    : {
        daily: {
          limit: daily.limit,
          used: daily.used,
          resets_at: new Date(daily.resetsAt).toISOString()
        }
      })
})

/** The models of a provider; default: all. */
export const modelList = (
  offer: Offer,
  provider: string | undefined
): Either.Either<typeof ModelList.Type, Unprocessable> =>
  Either.map(known(offer, provider), () => ({
    models: [...offer.providers.values()]
      .filter((each) => provider === undefined || each.id === provider)
      .flatMap((each) => each.models.map((model) => model.wire))
  }))

/** A page of the voices of a provider (default: all) that contain every word of the search. */
export const voicePage = (
  offer: Offer,
  provider: string | undefined,
  search: string | undefined,
  { page, limit }: Paging
): Either.Either<typeof VoicePage.Type, Unprocessable> =>
  Either.map(known(offer, provider), () => {
    const found = searchVoices([...offer.voices.values()], provider, search)
    return {
      voices: found.slice((page - 1) * limit, page * limit),
      page,
      limit,
      total: found.length,
      has_more: page * limit < found.length
    }
  })

const known = (offer: Offer, provider: string | undefined): Either.Either<void, Unprocessable> =>
  provider === undefined || offer.providers.has(provider)
    ? Either.void
    : Either.left(providerUnknown(offer, provider))
