/** Topics of the manual for `dubwright help <topic>`. */

/** Topic to page name in docs/, where they differ; the build copies the pages beside the program. */
export const pageTopics: Readonly<Record<string, string>> = Object.fromEntries(
  (
    "start=getting-started commands manifest text formats fit=fitting provider-rules=providers season cast lists " +
    "nightly fleet results editing listening delivery review service cloud neural library glossary containers ffmpeg " +
    "platforms licences"
  )
    .split(" ")
    .map((topic) => topic.split("="))
    .map(([topic = "", page = topic]) => [topic, page])
)

/** All topics, including exit-codes, which has no page in docs/. */
export const topicNames: ReadonlyArray<string> = [...Object.keys(pageTopics), "exit-codes"]
