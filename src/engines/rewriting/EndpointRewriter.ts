/**
 * A rewriter at a server with OpenAI's `POST /chat/completions`:
 * https://platform.openai.com/docs/api-reference/chat/create
 */
import { Effect, Option, Schema } from "effect"
import { type HelperEndpointOptions, makeHelperEndpoint } from "../helpers/HelperEndpoint.ts"
import { type Rewriter, rewriterIdentity, withoutPrompt } from "./Rewriter.ts"

export interface EndpointRewriterOptions extends Pick<HelperEndpointOptions, "baseUrl" | "key" | "timeout"> {
  readonly model: string
  readonly concurrency: number
}

/** Makes the rewriter. */
export const makeEndpointRewriter = Effect.fnUntraced(function* (options: EndpointRewriterOptions) {
  const { failure, post } = yield* makeHelperEndpoint({
    ...options,
    setting: "rewrite",
    keyName: "DUBWRIGHT_REWRITE_KEY",
    path: "/chat/completions"
  })
  const shorten: Rewriter["shorten"] = Effect.fn("EndpointRewriter.shorten")((line) => {
    const { system, user } = line
    // Sends no sampling settings, because some models refuse them.
    const request = {
      model: options.model,
      stream: false,
      messages: [
        { role: "system", content: system },
        { role: "user", content: user }
      ]
    }
    const bytes = new TextEncoder().encode(JSON.stringify(request))
    return Effect.flatMap(post(Effect.succeed({ bytes, type: "application/json" })), (text) =>
      Option.match(contentIn(text), {
        onNone: () =>
          Effect.fail(
            failure("one", "the response has no choices[0].message.content; expected a chat completion")
          ),
        onSome: Effect.succeed
      })
    ).pipe(Effect.mapError((failed) => withoutPrompt(failed, line)))
  })
  return {
    identity: rewriterIdentity(options),
    concurrency: options.concurrency,
    shorten
  } satisfies Rewriter
})

/** The content is a text, or a list of parts. A model that declines may send null. */
const Content = Schema.Union(
  Schema.String,
  Schema.Null,
  Schema.Array(Schema.Struct({ text: Schema.optionalWith(Schema.String, { default: () => "" }) }))
)
const readCompletion = Schema.decodeOption(
  Schema.parseJson(
    Schema.Struct({
      choices: Schema.NonEmptyArray(Schema.Struct({ message: Schema.Struct({ content: Content }) }))
    })
  )
)

const contentIn = (text: string): Option.Option<string> =>
  Option.map(readCompletion(text), ({ choices: [{ message }] }) => {
    const { content } = message
    return content === null
      ? ""
      : typeof content === "string"
        ? content
        : content.map((part) => part.text).join("")
  })
