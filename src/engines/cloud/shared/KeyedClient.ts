/** A client of a provider that takes one key in a header, as most do. */
import { Effect, Option, Redacted } from "effect"
import { type CloudAddress, makeCloudClient } from "./CloudClient.ts"
import { type CloudSettings, secretIn } from "./CloudSettings.ts"

/** The address and key of a provider. The settings may name another variable and another address. */
interface KeyedAddress extends Pick<CloudAddress, "baseUrl" | "read" | "isRefusal"> {
  /** The environment variable that usually holds the key. */
  readonly keyVariable: string
  /** The headers of a request with this key. */
  readonly headers: (key: string) => Readonly<Record<string, string>>
}

/** Makes the client. `obstacle` says how to set a missing key. */
export const makeKeyedClient = Effect.fnUntraced(function* (
  settings: CloudSettings,
  { keyVariable: usual, headers, ...address }: KeyedAddress
) {
  const { name, keyVariable = usual, baseUrl = address.baseUrl, timeout } = settings
  const key = yield* secretIn(keyVariable)
  const client = yield* makeCloudClient({
    ...address,
    name,
    baseUrl,
    timeout,
    authorize: () =>
      Effect.succeed(
        Option.match(key, { onNone: () => ({}), onSome: (secret) => headers(Redacted.value(secret)) })
      ),
    secrets: Option.toArray(key)
  })
  const obstacle = Option.isSome(key)
    ? undefined
    : `its key is missing; set the environment variable ${keyVariable}`
  return { client, obstacle }
})
