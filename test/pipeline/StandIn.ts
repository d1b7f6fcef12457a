/** Fake services for tests, and the real layers of everything else that a run needs. */
import { NodeContext } from "@effect/platform-node"
import { Clock, Effect, Layer, Schema, Stream } from "effect"
import { CreateTask } from "../../src/contract/Task.ts"
import { TaskId } from "../../src/domain/values/Ids.ts"
import { InvalidResponse, Unreachable } from "../../src/gateway/GatewayErrors.ts"
import { Gateway } from "../../src/gateway/Gateway.ts"
import { silent } from "../../src/pipeline/Progress.ts"
import { ClipFolder } from "../../src/store/files/ClipFolder.ts"
import { Deliveries } from "../../src/store/tables/Deliveries.ts"
import { CompletedBatches } from "../../src/store/tables/CompletedBatches.ts"
import { Estimates } from "../../src/store/tables/Estimates.ts"
import { BatchSpending } from "../../src/store/tables/BatchSpending.ts"
import { writableState } from "../../src/store/state/StateDatabase.ts"
import { UtteranceTransfer } from "../../src/store/tables/UtteranceTransfer.ts"
import { UtteranceStore } from "../../src/store/tables/UtteranceStore.ts"
import { babble } from "../hostile/Babble.ts"

/** Answers every read endpoint with the same effect. */
export const readsOf = <A>(answer: A) => ({
  health: answer,
  credits: answer,
  providers: answer,
  stated: answer,
  models: () => answer,
  voices: () => answer,
  tasks: () => answer
})

const unread = Effect.fail(new Unreachable({ words: "not read here" }))
const unsaid = {
  label: undefined,
  srt: undefined,
  json: undefined,
  seconds: undefined,
  took: undefined,
  engine: undefined
}

const nobody = Effect.fail(new Unreachable({ words: "nobody there" }))

const deaf = {
  _tag: "gateway/Gateway" as const,
  ping: nobody,
  reads: readsOf(nobody),
  submit: () => nobody,
  resend: () => Effect.succeed(undefined),
  history: () => nobody
}

/** A service that is unreachable. */
export const gone = Layer.mock(Gateway, deaf)

/** A service whose create responses are cut off, and whose history never responds. */
export const mute = Layer.mock(Gateway, {
  ...deaf,
  resend: () => Effect.succeed(undefined),
  submit: () => Effect.fail(new InvalidResponse({ words: "cut off" })),
  history: () => Effect.never
})

/** Reads the body of a create. */
export const fieldsOf = Schema.decodeSync(Schema.parseJson(CreateTask))

/**
 * A service whose tasks finish after `latency` milliseconds and cost five credits each. Its read endpoints answer with
 * `read`.
 */
export const standIn = (latency: number, read: Effect.Effect<never, Unreachable> = unread) =>
  Layer.suspend(() => {
    const tasks: Array<{ readonly text: string; readonly doneAt: number }> = []
    const taskOf = (task: TaskId) => tasks[Number(task.slice("task-".length))]
    return Layer.mock(Gateway, {
      _tag: "gateway/Gateway",
      ping: Effect.void,
      reads: readsOf(read),
      balance: read,
      follow: Stream.never,
      resend: () => Effect.succeed(undefined),
      submit: ({ body }) =>
        Effect.map(Clock.currentTimeMillis, (now) => ({
          task: TaskId.make(`task-${tasks.push({ text: fieldsOf(body).text, doneAt: now + latency }) - 1}`),
          credits: 5
        })),
      look: (task) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          now < (taskOf(task)?.doneAt ?? 0)
            ? { _tag: "Waiting" as const, label: undefined }
            : { _tag: "Done" as const, task, audio: "a", ...unsaid }
        ),
      fetch: ({ task }) => Effect.succeed({ audio: babble(taskOf(task)?.text ?? ""), transcript: undefined })
    })
  })

/** The real store in a folder, with progress discarded. */
export const stored = (state: string) =>
  Layer.mergeAll(
    UtteranceStore.Default,
    ClipFolder.Default,
    Deliveries.Default,
    CompletedBatches.Default,
    Estimates.Default,
    BatchSpending.Default,
    UtteranceTransfer.Default,
    silent
  ).pipe(Layer.provideMerge(writableState(state)), Layer.provideMerge(NodeContext.layer))
