/** What the environment says. The key is read here and nowhere else, and stays redacted. */
import { Config } from "effect"

/** The service's address, where neither an option nor the manifest names one; an empty value counts as none. */
export const environmentBaseUrl = Config.option(Config.nonEmptyString("DUBWRIGHT_BASE_URL"))

/** The service's key; an empty value counts as none. */
export const environmentKey = Config.option(Config.redacted(Config.nonEmptyString("DUBWRIGHT_API_KEY")))

/** The password of the fleet's Redis, where its address has none. */
export const environmentFleetPassword = Config.option(
  Config.redacted(Config.nonEmptyString("DUBWRIGHT_FLEET_PASSWORD"))
)
