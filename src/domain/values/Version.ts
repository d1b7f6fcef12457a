/** Version and build id of this program. */
declare const DUBWRIGHT_VERSION: string
declare const DUBWRIGHT_BUILD: string

/** The version in package.json, inserted by the build; "unbuilt" when running from source. */
export const version: string = typeof DUBWRIGHT_VERSION === "undefined" ? "unbuilt" : DUBWRIGHT_VERSION

/** A digest of the sources of this build. Any difference between two builds changes it. */
export const builtOf: string = typeof DUBWRIGHT_BUILD === "undefined" ? "unbuilt" : DUBWRIGHT_BUILD
