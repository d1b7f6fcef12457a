/** Vitest reporter that lists, at the end of a run, the tests that this machine cannot run, and what they need. */
import { relative } from "node:path"
import type { Reporter, TestModule, Vitest } from "vitest/node"
import { requirements } from "./requirements.ts"

export default class UntriedReporter implements Reporter {
  private vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.vitest = vitest
  }

  async onTestRunEnd(modules: ReadonlyArray<TestModule>): Promise<void> {
    if (this.vitest?.config.testNamePattern !== undefined) return
    // A run of some files need not be about what is missing.
    const isWhole = ((await this.vitest?.globTestSpecifications()) ?? []).length === modules.length
    const missing = isWhole ? Object.values(requirements).filter(({ isMet }) => !isMet) : []
    const skipped = modules.flatMap(({ moduleId, children }) => {
      const count = [...children.allTests("skipped")].length
      return count === 0 ? [] : [`${relative(process.cwd(), moduleId)}: ${count} skipped`]
    })
    if (skipped.length === 0 && missing.length === 0) return
    const lines = [
      "",
      " Not tested here:",
      ...missing.map(({ promise, need }) => `   ${promise}: needs ${need}`),
      ...skipped.map((line) => `   ${line}`)
    ]
    process.stderr.write(`${lines.join("\n")}\n`)
  }
}
