/** Converts a stored task to the API's task resource. */
import type { Task } from "../../contract/Task.ts"
import type { FileKind } from "../storage/FileStore.ts"
import type { TaskFiles } from "../storage/TaskFiles.ts"
import type { StoredTask } from "../tasks/TaskRecord.ts"

/** Returns the service's public origin: `publicUrl` from the settings, else the request's Host header over http. */
export const originOf = (publicUrl: string | undefined, host = ""): string => {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/u, "")
  return /^[A-Za-z0-9._~:[\]-]{1,255}$/u.test(host) ? `http://${host}` : ""
}

/** Converts a task. A done task gets file URLs under `origin`, as of `now` in milliseconds since 1970. */
export const taskResponse = (files: TaskFiles, origin: string, task: StoredTask, now: number): Task => {
  const address = (kind: FileKind) => `${origin}${files.addressOf(task.taskId, kind, now)}`
  const done = task.status === "done"
  return {
    task_id: task.taskId,
    status: task.status,
    provider: task.provider,
    model_id: task.model,
    voice_id: task.voice,
    ...(task.voiceName === undefined ? {} : { voice_name: task.voiceName }),
    characters: task.characters,
    credits: task.credits,
    created_at: new Date(task.createdAt).toISOString(),
    ...(task.completedAt === undefined ? {} : { completed_at: new Date(task.completedAt).toISOString() }),
    ...(task.durationMs === undefined ? {} : { duration: task.durationMs / 1000 }),
    ...(done ? { audio_url: address(task.format === "wav" ? "wav" : "mp3") } : {}),
    ...(done && task.hasSrt ? { srt_url: address("srt") } : {}),
    ...(done && task.hasJson ? { json_url: address("json") } : {}),
    ...(task.engine === undefined ? {} : { engine: task.engine }),
    ...(task.error === undefined ? {} : { error: task.error })
  }
}
