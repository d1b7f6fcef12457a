/** Which dubwright this is. */
declare const DUBWRIGHT_VERSION: string

/** The version in package.json, put in by the build; a word for it where the sources run unbuilt. */
export const version: string = typeof DUBWRIGHT_VERSION === "undefined" ? "unbuilt" : DUBWRIGHT_VERSION
