/** Worker roles and the clips path. The command line needs them before it loads the rest of the fleet code. */
import { join, resolve } from "node:path"

/** A worker's roles: speak utterances; place and deliver jobs. */
export const roles = ["speak", "deliver"] as const
export type Role = (typeof roles)[number]

/** Returns the folder of clips in a shared folder. */
export const clipsIn = (share: string): string => join(resolve(share), "clips")
