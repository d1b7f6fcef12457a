/** Converts a stored task to the API's task resource. */
import type { HttpServerRequest } from "@effect/platform"
import { Effect } from "effect"
import type { Task } from "../../contract/Task.ts"
import type { FileKind } from "../storage/FileKinds.ts"
import type { TaskFiles } from "../storage/TaskFiles.ts"
import type { StoredTask } from "../tasks/TaskRecord.ts"

/** Returns the service's public origin: `publicUrl` from the settings, else the request's Host header over http. */
export const originOf = (
  publicUrl: string | undefined,
  request: HttpServerRequest.HttpServerRequest
): string => {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/u, "")
  const host = request.headers["host"] ?? ""
  return /^[A-Za-z0-9._~:[\]-]{1,255}$/u.test(host) ? `http://${host}` : ""
}

/** Converts a task. A done task gets new file URLs under `origin`. */
export const taskResponse = (files: TaskFiles, origin: string, task: StoredTask): Effect.Effect<Task> =>
  Effect.gen(function* () {
    const address = (kind: FileKind) =>
      Effect.map(files.addressOf(task.taskId, kind), (path) => `${origin}${path}`)
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
      ...(done ? { audio_url: yield* address(task.format === "wav" ? "wav" : "mp3") } : {}),
      ...(done && task.hasSrt ? { srt_url: yield* address("srt") } : {}),
      ...(done && task.hasJson ? { json_url: yield* address("json") } : {}),
      ...(task.engine === undefined ? {} : { engine: task.engine }),
      ...(task.error === undefined ? {} : { error: task.error })
    }
  })
