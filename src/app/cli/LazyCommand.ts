/** Lazy loading of commands: a command's code is imported only when it runs, so help and usage errors are fast. */
import { Effect } from "effect"

/** Imports a module; a module that does not load is a defect. */
const load = <Part>(part: () => Promise<Part>): Effect.Effect<Part> => Effect.promise(part)

/** Returns a handler that imports `part` when the command runs, then calls its `work`. */
export const lazyCommand =
  <Part, Options, A, E, R>(
    part: () => Promise<Part>,
    work: (part: Part) => (options: Options) => Effect.Effect<A, E, R>
  ) =>
  (options: Options): Effect.Effect<A, E, R> =>
    Effect.flatMap(load(part), (loaded) => work(loaded)(options))
