/** The topics of the manual, by which `dubwright help` prints its pages. */

/** Each topic that is a page, with the page's name in docs/, which the build puts beside the program. */
export const pageTopics: Readonly<Record<string, string>> = {
  manifest: "manifest",
  text: "text",
  fit: "fitting",
  "provider-rules": "providers",
  nightly: "nightly",
  fleet: "fleet",
  results: "results",
  editing: "editing",
  service: "service"
}

/** The names of all topics. */
export const topicNames: ReadonlyArray<string> = [...Object.keys(pageTopics), "exit-codes"]
