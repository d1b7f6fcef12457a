/** The pages' scripts and styles, as bundled by the build. */
import { version } from "../../domain/values/Version.ts"
import type { PageParts } from "./PageDocument.ts"

/** Script and style of each kind of page. */
export interface BuiltParts {
  readonly job: PageParts
  readonly batch: PageParts
  readonly review: PageParts
  readonly plan: PageParts
}

declare const DUBWRIGHT_PAGES: string

const bare: PageParts = { script: "", style: "" }

/** The bundled parts; empty when the sources run unbuilt. Such pages can be read but have no controls. */
export const builtParts: BuiltParts =
  version === "unbuilt" ? { job: bare, batch: bare, review: bare, plan: bare } : JSON.parse(DUBWRIGHT_PAGES)
