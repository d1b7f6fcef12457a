/** A recogniser at a server with OpenAI's `POST /audio/transcriptions`. */
import { Effect, Either } from "effect"
import { primaryLanguage } from "../../domain/values/Ids.ts"
import { type HelperEndpointOptions, makeHelperEndpoint } from "../helpers/HelperEndpoint.ts"
import type { Recogniser } from "./Recogniser.ts"
import { jsonTranscript } from "./TranscriptText.ts"

export interface EndpointRecogniserOptions extends Pick<
  HelperEndpointOptions,
  "baseUrl" | "key" | "timeout"
> {
  readonly model: string
  readonly concurrency: number
}

/** OpenAI's limit on the size of a file. */
const maxAudio = 25 * 1024 * 1024

/** Makes the recogniser. */
export const makeEndpointRecogniser = Effect.fnUntraced(function* (options: EndpointRecogniserOptions) {
  const { address, failure, post } = yield* makeHelperEndpoint({
    ...options,
    setting: "listen",
    keyName: "DUBWRIGHT_LISTEN_KEY",
    path: "/audio/transcriptions"
  })

  /** The form, encoded by the platform's own encoder. */
  const formOf = (wav: Uint8Array, language: string | undefined) =>
    Effect.promise(async () => {
      const form = new FormData()
      form.append("file", new Blob([Uint8Array.from(wav)], { type: "audio/wav" }), "clip.wav")
      form.append("model", options.model)
      form.append("response_format", "json")
      if (language !== undefined) form.append("language", primaryLanguage(language))
      const encoded = new Response(form)
      return {
        bytes: new Uint8Array(await encoded.arrayBuffer()),
        type: encoded.headers.get("content-type") ?? ""
      }
    })

  const hear: Recogniser["hear"] = Effect.fn("EndpointRecogniser.hear")((wav, language) =>
    wav.length > maxAudio
      ? Effect.fail(failure("one", `the clip has ${wav.length} bytes, more than the limit of ${maxAudio}`))
      : Effect.flatMap(post(formOf(wav, language)), (text) =>
          Either.mapLeft(jsonTranscript(text), (detail) => failure("one", `the response is ${detail}`))
        )
  )
  return {
    identity: `endpoint ${address} ${options.model}`,
    concurrency: options.concurrency,
    hear
  } satisfies Recogniser
})
