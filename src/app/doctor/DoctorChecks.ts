/** What `doctor` looks at, one check each: what was found, whether it will do, and how to mend it where not. */
import { constants } from "node:fs"
import { access, stat, statfs } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { Effect } from "effect"
import { locateConfigured } from "../../ffmpeg/process/FfmpegBinary.ts"

export interface Check {
  readonly name: string
  readonly state: "well" | "warning" | "wrong"
  readonly found: string
  /** What to do about it. */
  readonly mend?: string
}

/** Whether this Node is one that dubwright runs on. */
export const nodeCheck = (version: string): Check => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return major > 20 || (major === 20 && minor >= 19)
    ? { name: "Node", state: "well", found: version }
    : {
        name: "Node",
        state: "wrong",
        found: version,
        mend: "install Node 20.19 or later (nodejs.org, or: nvm install 22)"
      }
}

const sources = {
  DUBWRIGHT_FFMPEG: "named by DUBWRIGHT_FFMPEG",
  PATH: "found on PATH",
  package: "from the npm package"
} as const

/** Which ffmpeg is used. */
export const ffmpegCheck: Effect.Effect<Check> = locateConfigured.pipe(
  Effect.map(({ path, source, version }): Check => {
    const old = /^\D{0,2}([0-4])\.|^N-[1-8]\d{4}-|^2018/u.test(version)
    const found = `${version}, ${sources[source]}: ${path}`
    return old
      ? {
          name: "ffmpeg",
          state: "warning",
          found,
          mend: "it is older than version 5: install a newer one, or point DUBWRIGHT_FFMPEG at one"
        }
      : { name: "ffmpeg", state: "well", found }
  }),
  Effect.catchTags({
    NoFfmpeg: ({ places, advice }) =>
      Effect.succeed<Check>({
        name: "ffmpeg",
        state: "wrong",
        found: places.join("; "),
        mend: advice
      }),
    ConfigError: (error) =>
      Effect.succeed<Check>({
        name: "ffmpeg",
        state: "wrong",
        found: error.message,
        mend: "set DUBWRIGHT_FFMPEG to a path, or unset it"
      })
  })
)

/** Below this much free space a run of some hours of speech may not end. */
const scarce = 1_000_000_000

/** Whether a state folder is there, or can be made, can be written, and has room. */
export const folderCheck = (folder: string): Effect.Effect<Check> =>
  Effect.promise(async (): Promise<Check> => {
    const path = resolve(folder)
    try {
      const base = await nearestFolder(path)
      await access(base, constants.W_OK | constants.X_OK)
      const disk = await statfs(base)
      const free = disk.bavail * disk.bsize
      const found = `${path} (${base === path ? "" : "not there yet, will be made; "}${gigabytes(free)} free)`
      return free < scarce
        ? {
            name: "State folder",
            state: "warning",
            found,
            mend: "free some space, or name another folder with --state"
          }
        : { name: "State folder", state: "well", found }
    } catch (cause) {
      return {
        name: "State folder",
        state: "wrong",
        found: `${path}: ${cause instanceof Error ? cause.message : String(cause)}`,
        mend: "make it writable (chown or chmod), or name another folder with --state"
      }
    }
  })

/** The folder itself, or the nearest above it that is there. */
export const nearestFolder = async (path: string): Promise<string> => {
  const here = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return undefined
    throw cause
  })
  if (here === undefined) return nearestFolder(dirname(path))
  if (!here.isDirectory()) throw new Error(`${path} is a file, not a folder`)
  return path
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`
