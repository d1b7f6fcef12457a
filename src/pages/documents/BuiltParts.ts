/** The pages' scripts and styles as the build has bundled them. */
import type { PageParts } from "./PageDocument.ts"

/** The parts of each kind of page. */
export interface BuiltParts {
  readonly job: PageParts
  readonly batch: PageParts
  readonly review: PageParts
  readonly plan: PageParts
}

declare const DUBWRIGHT_PAGES: BuiltParts

const bare: PageParts = { script: "", style: "" }

/** The parts of each page; empty where the sources run unbuilt: such pages can be read, not played. */
export const builtParts: BuiltParts =
  typeof DUBWRIGHT_PAGES === "undefined"
    ? { job: bare, batch: bare, review: bare, plan: bare }
    : DUBWRIGHT_PAGES
