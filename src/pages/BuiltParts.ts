/** The pages' scripts and styles as the build has bundled them. */
import type { PageParts } from "./Document.ts"

declare const DUBWRIGHT_PAGES: { readonly job: PageParts; readonly batch: PageParts }

const bare: PageParts = { script: "", style: "" }

/** The parts of each page; empty where the sources run unbuilt: such pages can be read, not played. */
export const builtParts: { readonly job: PageParts; readonly batch: PageParts } =
  typeof DUBWRIGHT_PAGES === "undefined" ? { job: bare, batch: bare } : DUBWRIGHT_PAGES
