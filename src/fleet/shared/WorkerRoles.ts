/** Worker roles. The command line needs them before it loads the rest of the fleet code. */

/** A worker's roles: speak utterances; place and deliver jobs. */
export const roles = ["speak", "deliver"] as const
export type Role = (typeof roles)[number]
