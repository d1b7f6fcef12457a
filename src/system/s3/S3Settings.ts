/** Reads where objects in S3 are, and the keys to reach them. The variables are those of Amazon's own programs. */
import { Config, type ConfigError, Effect, Option, Redacted } from "effect"
import type { S3Settings } from "./S3Client.ts"
import { S3Failed } from "./S3Responses.ts"

/** Reads the settings for `s3://BUCKET/PREFIX` from the environment. */
export const readS3Settings = (address: string): Effect.Effect<S3Settings, S3Failed> =>
  Effect.gen(function* () {
    const [, bucket = "", prefix = ""] =
      /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/u.exec(address) ?? []
    if (bucket === "") return yield* refused("expected s3://BUCKET or s3://BUCKET/PREFIX")
    const found = yield* Config.all({
      keyId: Config.string("AWS_ACCESS_KEY_ID"),
      secret: Config.redacted("AWS_SECRET_ACCESS_KEY"),
      session: Config.option(Config.redacted("AWS_SESSION_TOKEN")),
      region: Config.string("AWS_REGION").pipe(
        Config.orElse(() => Config.string("AWS_DEFAULT_REGION")),
        Config.withDefault("us-east-1")
      ),
      endpoint: Config.option(
        Config.string("AWS_ENDPOINT_URL_S3").pipe(Config.orElse(() => Config.string("AWS_ENDPOINT_URL")))
      )
    }).pipe(
      Effect.mapError((_: ConfigError.ConfigError) =>
        refused("its keys are missing; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
      )
    )
    const endpoint = Option.getOrUndefined(found.endpoint)
    if (endpoint !== undefined && !/^https?:\/\/[^/]/u.test(endpoint))
      return yield* refused(`invalid AWS_ENDPOINT_URL "${endpoint}" (example: https://minio.example:9000)`)
    return {
      bucket,
      prefix: prefix.replace(/^\/+|\/+$/gu, ""),
      region: found.region,
      endpoint,
      keyId: found.keyId,
      secret: Redacted.value(found.secret),
      session: Option.getOrUndefined(Option.map(found.session, Redacted.value))
    }
  })

const refused = (detail: string) => new S3Failed({ status: 0, detail })
