/** Validates a create request against the provider's features: returns an order for the queue, or the refusal. */
import { Either } from "effect"
import { BadRequest, NotFound, TooLarge, Unavailable, Unprocessable } from "../../contract/Errors.ts"
import { type CreateTask, notLabel } from "../../contract/Task.ts"
import { controlNames } from "../../domain/speech/Casting.ts"
import { isTooShort } from "../../domain/speech/ProviderProfile.ts"
import { charactersOf } from "../../domain/speech/Utterance.ts"
import type { Offer, ServedProvider } from "../catalogue/Catalogue.ts"
import { isSrt, readEntries } from "./SrtText.ts"

/** Validates a request by the rules of the provider it names. `timeline` is the latest start of an SRT entry, in s. */
export const admitTask = (offer: Offer, voiceId: string, body: CreateTask, timeline: number) =>
  Either.gen(function* () {
    const provider = offer.providers.get(body.provider)
    if (provider === undefined) return yield* Either.left(providerUnknown(offer, body.provider))
    const voice = offer.voices.get(voiceId)
    if (voice === undefined && !provider.complete) return yield* Either.left(engineUnavailable)
    if (voice === undefined)
      return yield* Either.left(
        new NotFound({
          code: "voice_unknown",
          message: "voice_id: unknown voice; GET /v1/voices lists the voices",
          field: "voice_id"
        })
      )
    if (voice.wire.provider !== provider.id)
      return yield* refused(
        "voice_of_other_provider",
        "provider",
        `voice ${voice.wire.voice_id} belongs to ${voice.wire.provider}, not to ${provider.id}`
      )
    const model =
      body.model_id === undefined
        ? provider.defaultModel
        : provider.models.find((each) => each.wire.model_id === body.model_id)
    if (model === undefined)
      return yield* refused(
        "model_unknown",
        "model_id",
        `unknown model of ${provider.id}; expected one of ${provider.models.map((each) => each.wire.model_id).join(", ")}`
      )
    yield* checkControls(provider, body)
    yield* checkCharacters("text", body.text)
    if (body.voice_name !== undefined) yield* checkCharacters("voice_name", body.voice_name)
    const characters = charactersOf(body.text)
    const { input, seconds } = yield* checkText(provider, body.text, characters, timeline)
    const { transcript, controls } = provider.features
    const wantJson = transcript !== "none" && body.with_transcript === true
    return {
      provider,
      model,
      voice,
      voiceName: body.voice_name,
      text: body.text,
      input,
      wantSrt: wantJson || (transcript === "export_srt" && body.export_srt === true),
      wantJson,
      speed: body.speed ?? controls.speed?.default ?? 1,
      vol: body.vol ?? controls.vol?.default ?? 1,
      pitch: body.pitch ?? controls.pitch?.default ?? 0,
      characters,
      credits: priceOf(characters, model.wire.credits_per_character),
      seconds
    }
  })

/** The refusal while a provider's engine is unavailable or its voices are not known yet. */
export const engineUnavailable = new Unavailable({
  code: "engine_unavailable",
  message: "this provider's engine is unavailable; try again later (GET /v1/health-check shows its status)",
  retry_after: 30
})

/** The refusal while the disk is full. */
export const diskFull = new Unavailable({
  code: "disk_full",
  message: "the service has no disk space for more audio; try again later",
  retry_after: 60
})

/** The refusal of an unknown provider. */
export const providerUnknown = (offer: Offer, provider: string): Unprocessable =>
  new Unprocessable({
    code: "provider_unknown",
    message: `provider: unknown provider "${provider.slice(0, 100)}"; expected one of ${[...offer.providers.keys()].join(", ")}`,
    field: "provider"
  })

/** Price in whole credits, rounded up. Treats a price such as 0.1 as the decimal, not as its nearest float. */
export const priceOf = (characters: number, perCharacter: number): number =>
  Math.ceil(Number((characters * perCharacter).toFixed(6)))

/** A refusal of a field's value. */
export const refused = (code: Unprocessable["code"], field: string, message: string) =>
  Either.left(new Unprocessable({ code, field, message: `${field}: ${message}` }))

const checkControls = (provider: ServedProvider, body: CreateTask): Either.Either<void, Unprocessable> => {
  for (const control of controlNames) {
    const value = body[control]
    if (value === undefined) continue
    const range = provider.features.controls[control]
    if (range === undefined)
      return refused("control_unsupported", control, `${provider.id} does not support this control; omit it`)
    if (!(value >= range.min && value <= range.max))
      return refused(
        "control_out_of_range",
        control,
        `${value} is out of range; expected ${range.min} to ${range.max}`
      )
  }
  return Either.void
}

/** Rejects control characters and lone surrogates; in labels, also invisible ones. */
const checkCharacters = (field: "text" | "voice_name", value: string): Either.Either<void, BadRequest> => {
  const found = (field === "text" ? notText : notLabel).exec(value)
  if (found === null) return Either.void
  const code = found[0].codePointAt(0) ?? 0
  return Either.left(
    new BadRequest({
      code: "field_invalid",
      field,
      message: `${field}: contains U+${code.toString(16).toUpperCase().padStart(4, "0")}, a control or invisible character, or a lone surrogate; remove it`
    })
  )
}

const notText = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\p{Surrogate}/u

/** Seconds of an SRT's timeline that are free, and that each of its characters allows: silence takes space, too. */
const freeSilence = 600
const silencePerCharacter = 20
/** Seconds of speech to expect of a character. */
const spokenCharacter = 0.08

const checkText = (
  provider: ServedProvider,
  text: string,
  characters: number,
  timeline: number
): Either.Either<
  { readonly input: "text" | "srt"; /** The expected length of the audio. */ readonly seconds: number },
  Unprocessable | TooLarge
> => {
  const { features } = provider
  const seconds = characters * spokenCharacter
  if (text.trim() === "") return refused("text_empty", "text", "the text is empty; expected words to speak")
  if (characters > features.max_characters)
    return Either.left(
      new TooLarge({
        code: "text_too_long",
        field: "text",
        message: `text: ${characters} characters; ${provider.id} takes at most ${features.max_characters}; split the text`,
        max: features.max_characters
      })
    )
  if (features.srt_input && isSrt(text)) {
    const entries = readEntries(text)
    if (Either.isLeft(entries)) return refused("srt_malformed", "text", entries.left)
    const paid = freeSilence + characters * silencePerCharacter
    const latest = Math.min(timeline, paid)
    const late = entries.right.find((entry) => entry.start > latest * 1000)
    if (late !== undefined)
      return refused(
        "srt_malformed",
        "text",
        `an entry starts at ${Math.round(late.start / 1000)} s, after the limit of ${latest} s${paid < timeline ? ` for ${characters} characters` : ""}; shift the times`
      )
    return Either.right({ input: "srt", seconds: seconds + (entries.right.at(-1)?.start ?? 0) / 1000 })
  }
  if (isTooShort("text", characters, { minChars: features.min_characters }))
    return refused(
      "text_too_short",
      "text",
      `${characters} characters; ${provider.id} takes at least ${features.min_characters}, unless the text is an SRT`
    )
  return Either.right({ input: "text", seconds })
}
