/** The changelog with its unreleased changes under a version; `day` is `YYYY-MM-DD`. */
export const dateChangelog: (text: string, version: string, day: string) => string
