/** Manual pages, as `dubwright help <topic>` prints them. */
import { readFile } from "node:fs/promises"
import { Effect, Option } from "effect"
import { exitCodeLines, fullOverview } from "./HelpPage.ts"
import { markdownText } from "./MarkdownRendering.ts"
import { pageTopics } from "./ManualTopics.ts"
import type { CommandShape } from "./UsageCheck.ts"

/** Returns a topic's text, at most `columns` wide; none for an unknown topic. */
export const topicText = (
  topic: string,
  root: CommandShape,
  columns: number
): Effect.Effect<Option.Option<string>> => {
  if (topic === "all") return Effect.succeedSome(fullOverview(root, columns))
  if (topic === "exit-codes") return Effect.succeedSome(exitCodeLines(columns).join("\n"))
  const page = Object.hasOwn(pageTopics, topic) ? pageTopics[topic] : undefined
  return page === undefined
    ? Effect.succeedNone
    : Effect.promise(() => readFile(new URL(`docs/${page}.md`, import.meta.url), "utf8")).pipe(
        Effect.map((text) => Option.some(markdownText(text, columns)))
      )
}
