/**
 * Follows the account's tasks by the service's events (Server-Sent Events,
 * https://html.spec.whatwg.org/#server-sent-events). An event only says when to read a task; its result comes from that
 * read.
 */
import { HttpClient, HttpClientRequest } from "@effect/platform"
import { Context, Data, Effect, Layer, Redacted, Stream } from "effect"
import { accountEventsPath, keyHeader } from "../../contract/SpeechApi.ts"
import { TaskId } from "../../domain/values/Ids.ts"
import { taskOf } from "../exchange/ResponseReading.ts"
import { httpClient } from "../exchange/HttpTransport.ts"
import { pathUnder, type ServiceAddress } from "../exchange/ServiceAddress.ts"

/** The stream is open, or a task has ended. */
export type TaskNotice = { readonly _tag: "Open" } | { readonly _tag: "Ended"; readonly task: TaskId }

/** The stream broke, or could not be opened. */
export class StreamBroken extends Data.TaggedError("StreamBroken")<{ readonly words: string }> {}

const broken = (words: string) => () => new StreamBroken({ words })

/** Maximum characters of one event. */
const maxEvent = 1_000_000
/** The service sends a comment every 15 s. */
const maxSilence = "45 seconds"

/** Opens the stream. It never completes: it fails when the connection breaks. */
export const followTasks = ({
  baseUrl,
  key
}: Pick<ServiceAddress["Type"], "baseUrl" | "key">): Stream.Stream<TaskNotice, StreamBroken> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const client = Context.get(yield* Layer.build(httpClient), HttpClient.HttpClient)
      const address = baseUrl.origin + pathUnder(baseUrl, accountEventsPath)
      const headers = { [keyHeader]: Redacted.value(key), accept: "text/event-stream" }
      const response = yield* client
        .execute(HttpClientRequest.get(address, { headers }))
        .pipe(
          Effect.mapError(broken("no response")),
          Effect.timeoutFail({ duration: "20 seconds", onTimeout: broken("no response") })
        )
      const type = response.headers["content-type"] ?? ""
      if (response.status !== 200 || !/^text\/event-stream\b/iu.test(type))
        return Stream.failSync(broken(`HTTP ${response.status}`))
      const notices = response.stream.pipe(
        Stream.mapError(broken("cut off")),
        Stream.timeoutFail(broken("silent"), maxSilence),
        Stream.decodeText(),
        Stream.mapAccumEffect("", (before, text) => {
          const events = `${before}${text}`.replaceAll("\r\n", "\n").split("\n\n")
          const rest = events.pop() ?? ""
          return rest.length > maxEvent
            ? new StreamBroken({ words: "an event that is too long" })
            : Effect.succeed([rest, events.flatMap(noticeIn)] as const)
        }),
        Stream.flattenIterables
      )
      return Stream.make<[TaskNotice]>({ _tag: "Open" }).pipe(
        Stream.concat(notices),
        Stream.concat(Stream.failSync(broken("cut off")))
      )
    }).pipe(
      // The stream lasts as long as the run: its span would not end before that.
      Effect.withTracerEnabled(false)
    )
  )

/** Returns the task that an event says has ended. */
const noticeIn = (event: string): ReadonlyArray<TaskNotice> => {
  const data = event
    .split("\n")
    .flatMap((line) => (line.startsWith("data:") ? [line.slice(5)] : []))
    .join("\n")
  if (data === "") return []
  try {
    const { task_id: task, status } = taskOf(JSON.parse(data))
    return task !== undefined && (status === "done" || status === "failed")
      ? [{ _tag: "Ended", task: TaskId.make(task) }]
      : []
  } catch {
    return []
  }
}
