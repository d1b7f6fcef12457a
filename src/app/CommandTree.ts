/** The command tree: all commands, in the order in which help lists them. */
import { Command } from "@effect/cli"
import { queryCommands, queryShapes } from "./cli/QueryCommands.ts"
import { batchCommands, batchShapes } from "./cli/BatchCommands.ts"
import { serverCommands, serverShapes } from "./cli/ServerCommands.ts"
import { setupCommands, setupShapes } from "./cli/SetupCommands.ts"
import { type CommandShape, shapeOf } from "./cli/UsageCheck.ts"

export const root = Command.make("dubwright").pipe(
  Command.withSubcommands([...batchCommands, ...queryCommands, ...serverCommands, ...setupCommands])
)

/** The tree's shape, for usage checks and help pages. */
export const rootShape: CommandShape = shapeOf(root, [
  ...batchShapes,
  ...queryShapes,
  ...serverShapes,
  ...setupShapes
])
