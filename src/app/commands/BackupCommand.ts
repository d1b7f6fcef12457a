/** The `backup` command: copies the data folder of a service, which may run meanwhile. */
import { Effect } from "effect"
import { backUp } from "../../service/storage/Backup.ts"
import { Screen } from "../terminal/Screen.ts"

export const backupCommand = Effect.fn("BackupCommand.backupCommand")(function* (options: {
  readonly data: string
  readonly to: string
}) {
  const screen = yield* Screen
  const { tasks } = yield* backUp(options.data, options.to)
  yield* screen.say(`copied the database and the files of ${tasks} tasks to ${options.to}`)
})
