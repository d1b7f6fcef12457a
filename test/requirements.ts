/**
 * Programs and settings that some tests need in addition to npm packages. Tests are skipped without them, and listed at
 * the end of the run.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"

/** Whether a program is on PATH or in its usual place. */
const hasProgram = (...names: ReadonlyArray<string>): boolean =>
  names.some((name) =>
    [...(process.env["PATH"] ?? "").split(":"), "/usr/bin", "/usr/local/bin"].some((folder) =>
      existsSync(join(folder, name))
    )
  )

interface Requirement {
  /** The behaviour that is not tested without it. */
  readonly promise: string
  /** Its name, and how to get it. */
  readonly need: string
  readonly isMet: boolean
}

const requirement = (promise: string, need: string, isMet: boolean): Requirement => ({ promise, need, isMet })

export const requirements = {
  chromium: requirement(
    "pages in a browser",
    "Chromium (Debian: apt-get install chromium)",
    hasProgram("chromium", "chromium-browser", "google-chrome")
  ),
  redis: requirement(
    "fleets",
    "redis-server (Debian: apt-get install redis-server)",
    hasProgram("redis-server")
  ),
  postgres: requirement(
    "replicas of the service",
    "PostgreSQL (Debian: apt-get install postgresql)",
    hasProgram("initdb") || existsSync("/usr/lib/postgresql")
  ),
  ffmpeg: requirement(
    "the system's ffmpeg",
    "ffmpeg on PATH (Debian: apt-get install ffmpeg)",
    hasProgram("ffmpeg")
  ),
  root: requirement("full disks", "root, to mount small disks", process.getuid?.() === 0),
  script: requirement("closed terminals", "script from util-linux", hasProgram("script")),
  corpus: requirement(
    "real subtitles",
    "the corpus, at ../shared/corpus",
    existsSync(join(import.meta.dirname, "../../shared/corpus"))
  ),
  melt: requirement("sessions in melt", "melt (Debian: apt-get install melt)", hasProgram("melt")),
  openshot: requirement(
    "timelines in OpenShot",
    "openshot-qt (Debian: apt-get install openshot-qt)",
    existsSync(process.env["DUBWRIGHT_OPENSHOT"] ?? "/usr/lib/python3/dist-packages/openshot_qt")
  )
} satisfies Readonly<Record<string, Requirement>>
