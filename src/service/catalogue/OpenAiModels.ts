/** Models in OpenAI's shape: https://platform.openai.com/docs/api-reference/models. */
import type { Offer } from "./Catalogue.ts"

const modelOf = (id: string, owner: string) => ({ id, object: "model" as const, created: 0, owned_by: owner })

/** Lists the models, and OpenAI's names that select a default model. */
export const openAiModelList = (offer: Offer) => ({
  object: "list" as const,
  data: [
    ...["tts-1", "tts-1-hd", "gpt-4o-mini-tts"].map((id) => modelOf(id, "openai")),
    ...[...offer.providers.values()].flatMap((provider) =>
      provider.models.map(({ wire }) => modelOf(wire.model_id, provider.id))
    )
  ]
})
