/** Lazy loading of commands: a command's code is imported only when it runs, so help and usage errors are fast. */
import { Effect } from "effect"

/** Returns a handler that loads the command's code when it runs. Code that does not load is a defect. */
export const lazyCommand =
  <Options, A, E, R>(load: () => Promise<(options: Options) => Effect.Effect<A, E, R>>) =>
  (options: Options): Effect.Effect<A, E, R> =>
    Effect.flatMap(Effect.promise(load), (command) => command(options))
