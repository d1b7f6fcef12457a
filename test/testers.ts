/**
 * Before each file: `layer` of @effect/vitest puts testers with its own clock and services in the place of those that
 * all files of a process share.
 */
import { it, makeMethods } from "@effect/vitest"

makeMethods(it)
