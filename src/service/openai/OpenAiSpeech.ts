/** The voice, model and provider that a request of OpenAI's interface selects. */
import { Either } from "effect"
import { NotFound } from "../../contract/Errors.ts"
import type { OpenAiSpeech } from "../../contract/OpenAi.ts"
import type { Offer, ServedProvider, ServedVoice } from "../catalogue/Catalogue.ts"

/** OpenAI's voices, and the gender of the voice that each selects. */
const openAiVoices: Readonly<Record<string, "female" | "male">> = {
  alloy: "female",
  ash: "male",
  ballad: "male",
  cedar: "male",
  coral: "female",
  echo: "male",
  fable: "female",
  marin: "female",
  nova: "female",
  onyx: "male",
  sage: "female",
  shimmer: "female",
  verse: "male"
}

/** OpenAI's speech models: they select the default model of the voice's provider. */
const openAiModels = /^(?:tts-1|tts-1-hd|gpt-4o-mini-tts)(?:-\d+)*$/u

/** The provider, voice and model that a request selects. */
export interface SelectedVoice {
  readonly provider: ServedProvider
  readonly voice: ServedVoice
  /** The provider's default model if undefined. */
  readonly model: string | undefined
}

/** Selects a voice by its id, its display name or OpenAI's name, and a model by its id or OpenAI's name. */
export const selectVoice = (
  offer: Offer,
  { model, voice }: Pick<OpenAiSpeech, "model" | "voice">
): Either.Either<SelectedVoice, NotFound> => {
  const all = [...offer.providers.values()]
  const owner = all.find((provider) => provider.models.some((each) => each.wire.model_id === model))
  if (owner === undefined && !openAiModels.test(model))
    return Either.left(
      new NotFound({
        code: "model_unknown",
        message: `model: unknown model "${model.slice(0, 100)}"; GET /v1/models lists the models`,
        field: "model"
      })
    )
  const name = typeof voice === "string" ? voice : voice.id
  const among = owner === undefined ? all : [owner]
  const found = offer.voices.get(name) ?? voiceNamed(among, name)
  const provider = found && offer.providers.get(found.wire.provider)
  return found === undefined || provider === undefined
    ? Either.left(
        new NotFound({
          code: "voice_unknown",
          message: `voice: unknown voice "${name.slice(0, 100)}"; GET /v1/voices lists the voices`,
          field: "voice"
        })
      )
    : Either.right({ provider, voice: found, model: owner === undefined ? undefined : model })
}

const voiceNamed = (providers: ReadonlyArray<ServedProvider>, name: string): ServedVoice | undefined => {
  const wanted = name.toLowerCase()
  const voices = providers.flatMap((provider) => provider.voices)
  const named = voices.find(({ wire }) => wire.name.toLowerCase() === wanted)
  const gender = openAiVoices[wanted]
  if (named !== undefined || gender === undefined) return named
  // One provider, so that all of OpenAI's voices have one price and one set of rules.
  const [provider] = providers
    .filter((each) => each.voices.length > 0)
    .sort((one, other) => one.features.min_characters - other.features.min_characters)
  const alike = provider?.voices.filter(({ wire }) => wire.gender === gender) ?? []
  const choice = alike.length > 0 ? alike : (provider?.voices ?? [])
  const place = Object.keys(openAiVoices)
    .filter((each) => openAiVoices[each] === gender)
    .indexOf(wanted)
  return choice[place % Math.max(1, choice.length)]
}
