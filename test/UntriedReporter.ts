/** Vitest reporter that lists, at the end of a run, the tests that this machine cannot run, and what they need. */
import type { Reporter, TestModule } from "vitest/node"
import { requirements } from "./requirements.ts"

export default class UntriedReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const skipped = modules.flatMap((module) => [...module.children.allTests("skipped")]).length
    const missing = Object.values(requirements).filter(({ isMet }) => !isMet)
    if (skipped === 0 && missing.length === 0) return
    const lines = [
      "",
      ` Not tested here (${skipped} tests skipped):`,
      ...missing.map(({ promise, need }) => `   ${promise}: needs ${need}`)
    ]
    process.stderr.write(`${lines.join("\n")}\n`)
  }
}
