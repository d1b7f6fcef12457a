/** What a command does is loaded only when it runs, so that help and errors come at once. */
import { Effect } from "effect"

/** A part of the program; one that does not load is a fault of the program, not of its user. */
export const load = <Part>(part: () => Promise<Part>): Effect.Effect<Part> => Effect.promise(part)
