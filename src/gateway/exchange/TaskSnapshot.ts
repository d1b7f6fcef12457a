/** The result of one poll of a task. */
import { lastingFailures } from "../../contract/Task.ts"
import { TaskId } from "../../domain/values/Ids.ts"
import { type ListedTask, type ReadTask, unsaid } from "./ResponseReading.ts"

/** A done task. URLs may be relative, may be on another host, and may expire. */
export interface DoneTask {
  readonly _tag: "Done"
  readonly task: TaskId
  readonly audio: string
  readonly srt: string | undefined
  readonly json: string | undefined
  /** The label given at creation. Undefined if the service does not return it. */
  readonly label: string | undefined
  /** Seconds of audio, if the service reports them. */
  readonly seconds: number | undefined
  /** Milliseconds from created to done by the service's clock, if it reports both. */
  readonly took: number | undefined
  /** The engine that spoke it, if the service says so. */
  readonly engine: string | undefined
}

export type TaskSnapshot =
  | DoneTask
  /** It is queued or processing, or has another status that is not final. `seen` is what its answer said of that. */
  | { readonly _tag: "Waiting"; readonly label: string | undefined; readonly seen?: string }
  /** It failed. `lasting`: another task with the same text would fail, too, as far as the service reports. */
  | { readonly _tag: "GivenUp"; readonly words: string; readonly lasting: boolean }
  /** It is done by its status, but no field holds an address of its audio. `fields` are their names. */
  | { readonly _tag: "Silent"; readonly label: string | undefined; readonly fields: string }

/** A task in the history. */
export interface PastTask {
  readonly task: TaskId
  readonly label: string | undefined
  readonly provider: string | undefined
  readonly voice: string | undefined
  /** The text, or its beginning, if the service repeats it. */
  readonly text?: string | undefined
  readonly characters: number | undefined
  readonly credits: number | undefined
  /**
   * Creation time in milliseconds since 1970 by the service's clock. Undefined if it is missing or has no time zone.
   */
  readonly madeAt: number | undefined
  readonly failed: boolean
}

/** Converts an answer about a task to a snapshot. `shown` formats the service's own words for display. */
export const taskSnapshotOf = (task: ReadTask, id: TaskId, shown: (said: string) => string): TaskSnapshot => {
  const { error } = task
  if (error !== undefined)
    return { _tag: "GivenUp", words: shown(error.message), lasting: lastingFailures.has(error.code) }
  if (task.silent !== undefined) return { _tag: "Silent", fields: shown(task.silent), label: task.voice_name }
  if (task.audio_url === undefined) return { _tag: "Waiting", label: task.voice_name, seen: shown(task.seen) }
  const made = instantOf(task.created_at)
  const done = instantOf(task.completed_at)
  return {
    _tag: "Done",
    task: id,
    audio: task.audio_url,
    srt: task.srt_url,
    json: task.json_url,
    label: task.voice_name,
    seconds: task.duration !== undefined && task.duration > 0 ? task.duration : undefined,
    took: made !== undefined && done !== undefined && done >= made ? done - made : undefined,
    engine: task.engine === undefined ? undefined : shown(task.engine)
  }
}

/** Converts a task to the fields that the history search needs. */
export const pastTaskOf = (task: ListedTask): PastTask => ({
  task: TaskId.make(task.task_id),
  label: task.voice_name,
  provider: task.provider || undefined,
  voice: task.voice_id || undefined,
  text: task.text,
  characters: task.characters || undefined,
  credits: creditsStated(task.credits),
  madeAt: instantOf(task.created_at),
  failed: task.status === "failed"
})

/** Returns credits, if the service reports them. */
export const creditsStated = (credits: number): number | undefined =>
  credits === unsaid ? undefined : credits

/**
 * Parses an instant to milliseconds since 1970. A time without a zone is ignored, because it could be hours off.
 * Numbers are seconds or milliseconds since 1970.
 */
export const instantOf = (said: string | undefined): number | undefined => {
  if (said === undefined) return undefined
  if (/^\d{10}(\.\d+)?$/u.test(said)) return Number(said) * 1000
  if (/^\d{13}$/u.test(said)) return Number(said)
  if (!/(Z|[+-]\d\d:?\d\d)$/u.test(said)) return undefined
  const instant = Date.parse(said)
  return Number.isNaN(instant) ? undefined : instant
}
