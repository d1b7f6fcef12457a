/**
 * Setup file for every test file. It gives `layer` of @effect/vitest separate testers, with their own clock and
 * services, because all files of a process would otherwise share them. Properties draw the same cases in every run, so
 * that a run fails by its change alone; `DUBWRIGHT_SEED` draws others.
 */
import { it, makeMethods } from "@effect/vitest"
import { FastCheck } from "effect"

FastCheck.configureGlobal({
  ...FastCheck.readConfigureGlobal(),
  seed: Number(process.env["DUBWRIGHT_SEED"] ?? 1)
})
makeMethods(it)
