/** Which dubwright this is. */
declare const DUBWRIGHT_VERSION: string
declare const DUBWRIGHT_BUILD: string

/** The version in package.json, put in by the build; a word for it where the sources run unbuilt. */
export const version: string = typeof DUBWRIGHT_VERSION === "undefined" ? "unbuilt" : DUBWRIGHT_VERSION

/** A digest of the sources that this was built of: two builds that differ in anything differ in it. */
export const builtOf: string = typeof DUBWRIGHT_BUILD === "undefined" ? "unbuilt" : DUBWRIGHT_BUILD
