/** The pages of the manual, as `dubwright help` prints them. */
import { readFile } from "node:fs/promises"
import { Effect, Option } from "effect"
import { exitCodeLines } from "./HelpPage.ts"
import { markdownText } from "./MarkdownRendering.ts"
import { pageTopics } from "./ManualTopics.ts"

/** A topic's text in so many columns; none where there is no such topic. */
export const topicText = (topic: string, columns: number): Effect.Effect<Option.Option<string>> => {
  if (topic === "exit-codes") return Effect.succeedSome(exitCodeLines(columns).join("\n"))
  const page = Object.hasOwn(pageTopics, topic) ? pageTopics[topic] : undefined
  return page === undefined
    ? Effect.succeedNone
    : Effect.promise(() => readFile(new URL(`docs/${page}.md`, import.meta.url), "utf8")).pipe(
        Effect.map((text) => Option.some(markdownText(text, columns)))
      )
}
