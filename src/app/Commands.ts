/** The whole command: every command below it, in the order in which help lists them. */
import { Command } from "@effect/cli"
import { askingCommands, askingShapes } from "./commands/Asking.ts"
import { batchCommands, batchShapes } from "./commands/Batch.ts"
import { servingCommands, servingShapes } from "./commands/Serving.ts"
import { setupCommands, setupShapes } from "./commands/Setup.ts"
import { type CommandShape, shapeOf } from "./Usage.ts"

export const root = Command.make("dubwright").pipe(
  Command.withSubcommands([...batchCommands, ...askingCommands, ...servingCommands, ...setupCommands])
)

/** Its shape, for checks and help. */
export const rootShape: CommandShape = shapeOf(root, [
  ...batchShapes,
  ...askingShapes,
  ...servingShapes,
  ...setupShapes
])
