/** The responses to reads that need no more than the database or the catalogue. */
import { Either } from "effect"
import type { Credits } from "../../contract/Account.ts"
import type { Unprocessable } from "../../contract/Errors.ts"
import type { ModelList, VoicePage } from "../../contract/ProviderCatalogue.ts"
import type { TaskPage } from "../../contract/Task.ts"
import type { Offer } from "../catalogue/Catalogue.ts"
import { searchVoices } from "../catalogue/VoiceSearch.ts"
import { providerUnknown } from "../tasks/TaskAdmission.ts"
import type { DailyCap } from "../tasks/TaskQueries.ts"
import type { Balance } from "../tasks/TaskRecord.ts"

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
