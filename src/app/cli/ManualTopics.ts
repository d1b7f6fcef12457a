/** Topics of the manual for `dubwright help <topic>`. */

/** Topic to page name in docs/; the build copies the pages beside the program. */
export const pageTopics: Readonly<Record<string, string>> = {
  start: "getting-started",
  commands: "commands",
  manifest: "manifest",
  text: "text",
  formats: "formats",
  fit: "fitting",
  "provider-rules": "providers",
  season: "season",
  cast: "cast",
  lists: "lists",
  nightly: "nightly",
  fleet: "fleet",
  results: "results",
  editing: "editing",
  listening: "listening",
  delivery: "delivery",
  review: "review",
  service: "service",
  cloud: "cloud",
  neural: "neural",
  library: "library",
  glossary: "glossary",
  containers: "containers",
  ffmpeg: "ffmpeg",
  platforms: "platforms",
  licences: "licences"
}

/** All topics, including exit-codes, which has no page in docs/. */
export const topicNames: ReadonlyArray<string> = [...Object.keys(pageTopics), "exit-codes"]
