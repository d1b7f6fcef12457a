/** Environment variables. The service's key is read only here and stays redacted. */
import { Config } from "effect"

/** Service URL if neither an option nor the manifest sets one; an empty value counts as unset. */
export const environmentBaseUrl = Config.option(Config.nonEmptyString("DUBWRIGHT_BASE_URL"))

/** The service's key; an empty value counts as unset. */
export const environmentKey = Config.option(Config.redacted(Config.nonEmptyString("DUBWRIGHT_API_KEY")))

/** Password of the fleet's Redis, used if its URL has none. */
export const environmentFleetPassword = Config.option(
  Config.redacted(Config.nonEmptyString("DUBWRIGHT_FLEET_PASSWORD"))
)
