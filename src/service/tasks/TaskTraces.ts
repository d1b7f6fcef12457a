/** Continues the trace of the request that created a task while a worker speaks the task. */
import { Context, Effect, FiberRef, type HashMap, type Tracer } from "effect"

/** A request's span, and the attributes of its spans. */
interface Origin {
  readonly span: Tracer.AnySpan
  readonly attributes: HashMap.HashMap<string, unknown>
}

/** The origins of queued tasks. Empty unless traces are collected. */
class TaskTraces extends Context.Reference<TaskTraces>()("service/TaskTraces", {
  defaultValue: () => new Map<string, Origin>()
}) {}

/** Remembers the current span as the origin of a task. Call it before the task is queued. */
export const rememberTrace = (taskId: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (!(yield* FiberRef.get(FiberRef.currentTracerEnabled))) return
    const traces = yield* TaskTraces
    const span = yield* Effect.orDie(Effect.currentParentSpan)
    traces.set(taskId, { span, attributes: yield* FiberRef.get(FiberRef.currentTracerSpanAnnotations) })
  })

/** Forgets the origin of a task that no worker will speak. */
export const forgetTrace = (taskId: string): Effect.Effect<void> =>
  Effect.map(TaskTraces, (traces) => {
    traces.delete(taskId)
  })

/** Runs the work on a task in its origin's trace. A task of an earlier process has none. */
export const inTaskTrace = <A, E, R>(taskId: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(TaskTraces, (traces) => {
    const origin = traces.get(taskId)
    if (origin === undefined) return work
    traces.delete(taskId)
    return work.pipe(
      Effect.locally(FiberRef.currentTracerSpanAnnotations, origin.attributes),
      Effect.withParentSpan(origin.span)
    )
  })
