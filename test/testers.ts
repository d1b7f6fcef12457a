/**
 * Setup file for every test file. It gives `layer` of @effect/vitest separate testers, with their own clock and
 * services, because all files of a process would otherwise share them.
 */
import { it, makeMethods } from "@effect/vitest"

makeMethods(it)
