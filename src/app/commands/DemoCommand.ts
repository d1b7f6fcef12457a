/** The `demo` command: dubs a short scene in a temporary folder, without a network or an account. */
import { FileSystem, Path } from "@effect/platform"
import { Effect } from "effect"
import { Screen } from "../terminal/Screen.ts"
import { demoFiles, demoManifest } from "./DemoScene.ts"
import { runCommand } from "./RunCommand.ts"

export interface DemoOptions {
  readonly json: boolean
  readonly quiet: boolean
  readonly verbose: boolean
}

export const demoCommand = (options: DemoOptions) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const screen = yield* Screen
    // The folder is not deleted, so that users can look at the results.
    const folder = yield* fs.makeTempDirectory({ prefix: "dubwright-demo-" })
    for (const [name, text] of demoFiles) yield* fs.writeFileString(path.join(folder, name), text)
    if (!options.quiet)
      yield* screen.say(`demo: a scene of 12 seconds in English and Vietnamese, in ${folder}`)
    yield* runCommand({ ...defaults, ...options, inputs: [path.join(folder, demoManifest)] })
    if (!options.quiet) yield* screen.say(`demo: open ${path.join(folder, "out", "index.html")}`)
  })

const defaults = {
  embedded: true,
  baseUrl: undefined,
  out: undefined,
  state: undefined,
  only: undefined,
  voice: undefined,
  provider: undefined,
  model: undefined,
  language: undefined,
  maxCredits: undefined,
  force: false,
  deadline: undefined,
  events: false,
  fleet: undefined,
  share: undefined,
  log: undefined
}
