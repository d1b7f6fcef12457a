/** The pages of the manual, by the topics under which `dubwright help` prints them. */
import { readFile } from "node:fs/promises"
import { Effect, Option } from "effect"
import { exitCodeLines, pairs } from "./HelpPage.ts"
import { markdownText } from "./MarkdownText.ts"

/** Each topic with its page in docs/, which the build puts beside the program. */
export const topics: Readonly<Record<string, string>> = {
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

/** A topic's text; none where there is no such topic. */
export const topicText = (topic: string): Effect.Effect<Option.Option<string>> => {
  if (topic === "exit-codes") return Effect.succeedSome(exitCodeLines.join("\n"))
  const page = Object.hasOwn(topics, topic) ? topics[topic] : undefined
  return page === undefined
    ? Effect.succeedNone
    : Effect.promise(() => readFile(new URL(`docs/${page}.md`, import.meta.url), "utf8")).pipe(
        Effect.map((text) => Option.some(markdownText(text, pairs)))
      )
}
