/** What a look at a task shows. */
import { lastingFailures, type Task } from "../../contract/Task.ts"
import { TaskId } from "../../domain/values/Ids.ts"
import { unsaid } from "./ResponseFields.ts"

/** The task has its audio. Addresses may be relative, may lie on another host and may expire. */
export interface DoneTask {
  readonly _tag: "Done"
  readonly task: TaskId
  readonly audio: string
  readonly srt: string | undefined
  readonly json: string | undefined
  /** The label it was made with; absent where the service does not repeat it. */
  readonly label: string | undefined
  /** Seconds of audio, where the service says so. */
  readonly seconds: number | undefined
  /** Milliseconds from made to done by the service's own clock, where it tells both. */
  readonly took: number | undefined
}

/** The task is queued or being spoken, or says something else that is no end. */
export interface PendingTask {
  readonly _tag: "Waiting"
  readonly label: string | undefined
}

/** The task was given up by the service. */
export interface FailedTask {
  readonly _tag: "GivenUp"
  readonly words: string
  /** Whether another task of the same text would fail the same way, as far as the service says. */
  readonly lasting: boolean
}

export type TaskSnapshot = DoneTask | PendingTask | FailedTask

/** A task of the history. */
export interface PastTask {
  readonly task: TaskId
  readonly label: string | undefined
  readonly provider: string | undefined
  readonly voice: string | undefined
  readonly characters: number | undefined
  readonly credits: number | undefined
  /**
   * When it was made, in milliseconds since 1970 by the service's clock; absent where it does not say, or not in which
   * zone.
   */
  readonly madeAt: number | undefined
  readonly failed: boolean
}

/** What a task's record shows. */
export const taskSnapshotOf = (task: Task): TaskSnapshot => {
  if (task.status === "failed")
    return {
      _tag: "GivenUp",
      words: task.error?.message ?? "no reason given",
      lasting: lastingFailures.has(task.error?.code ?? "")
    }
  if (task.audio_url === undefined) return { _tag: "Waiting", label: task.voice_name }
  const made = instantOf(task.created_at)
  const done = instantOf(task.completed_at)
  return {
    _tag: "Done",
    task: TaskId.make(task.task_id),
    audio: task.audio_url,
    srt: task.srt_url,
    json: task.json_url,
    label: task.voice_name,
    seconds: task.duration !== undefined && task.duration > 0 ? task.duration : undefined,
    took: made !== undefined && done !== undefined && done >= made ? done - made : undefined
  }
}

/** A task's record as the history's search needs it. */
export const pastTaskOf = (task: Task): PastTask => ({
  task: TaskId.make(task.task_id),
  label: task.voice_name,
  provider: task.provider === "" ? undefined : task.provider,
  voice: task.voice_id === "" ? undefined : task.voice_id,
  characters: task.characters === 0 ? undefined : task.characters,
  credits: creditsStated(task.credits),
  madeAt: instantOf(task.created_at),
  failed: task.status === "failed"
})

/** Credits, where the service speaks of them. */
export const creditsStated = (credits: number): number | undefined =>
  credits === unsaid ? undefined : credits

/**
 * An instant with its zone, in milliseconds since 1970; a time without one could be hours off. Numbers are seconds or
 * milliseconds since
 * 1970.
 */
export const instantOf = (said: string | undefined): number | undefined => {
  if (said === undefined) return undefined
  if (/^\d{10}(\.\d+)?$/u.test(said)) return Number(said) * 1000
  if (/^\d{13}$/u.test(said)) return Number(said)
  if (!/(Z|[+-]\d\d:?\d\d)$/u.test(said)) return undefined
  const instant = Date.parse(said)
  return Number.isNaN(instant) ? undefined : instant
}
