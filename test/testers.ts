/**
 * Setup file for every test file: gives `layer` of @effect/vitest its own testers with their own clock and services,
 * instead of those shared by all files of a process.
 */
import { it, makeMethods } from "@effect/vitest"

makeMethods(it)
