/** What a command does is loaded only when it runs, so that help and errors come at once. */
import { Effect } from "effect"

/** A part of the program; one that does not load is a fault of the program, not of its user. */
const load = <Part>(part: () => Promise<Part>): Effect.Effect<Part> => Effect.promise(part)

/** A command's work, found in a part of the program that is loaded when the command runs. */
export const lazyCommand =
  <Part, Options, A, E, R>(
    part: () => Promise<Part>,
    work: (part: Part) => (options: Options) => Effect.Effect<A, E, R>
  ) =>
  (options: Options): Effect.Effect<A, E, R> =>
    Effect.flatMap(load(part), (loaded) => work(loaded)(options))
