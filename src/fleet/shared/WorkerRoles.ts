/** What of a fleet the command line must know before anything of it is loaded. */
import { join, resolve } from "node:path"

/** What a worker can do: speak utterances, place and deliver jobs. */
export const roles = ["speak", "deliver"] as const
export type Role = (typeof roles)[number]

/** Where the clips are in a shared folder. */
export const clipsIn = (share: string): string => join(resolve(share), "clips")
