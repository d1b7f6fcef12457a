/** Finds programs and starts them as each operating system needs it: PATH, and PATHEXT and batch files on Windows. */
import { accessSync, constants, statSync } from "node:fs"
import { posix, win32 } from "node:path"
import { Either } from "effect"

/** The facts about the system that a search uses. */
export interface SearchSystem {
  readonly platform: NodeJS.Platform
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Whether a path is a file that may be run. */
  readonly isProgram: (path: string) => boolean
}

/** A file that this process may run. Windows checks the name's ending instead of a permission. */
export const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** The system that this process runs on, with the environment that a program will get. */
export const ownSystem = (environment: SearchSystem["environment"]): SearchSystem => ({
  platform: process.platform,
  environment,
  isProgram
})

/** Windows' default for PATHEXT, without the endings of script hosts. */
const usualEndings = ".COM;.EXE;.BAT;.CMD"

/**
 * Returns every file that a command may mean, the system's choice first. A path means itself, relative to `folder`. A
 * name is searched in the folders of PATH. On Windows, a name without an ending gets those of PATHEXT.
 */
export const programsNamed = (
  command: string,
  { platform, environment, isProgram }: SearchSystem,
  folder = "."
): ReadonlyArray<string> => {
  const windows = platform === "win32"
  const paths = windows ? win32 : posix
  const isPath = windows ? /[\\/]|^[a-z]:/iu.test(command) : command.includes("/")
  const folders = variable(environment, "PATH", windows)
    .split(paths.delimiter)
    // Windows allows quotes around a folder.
    .map((entry) => (windows ? entry.replaceAll('"', "") : entry))
    .filter((entry) => entry !== "")
  const places = isPath ? [paths.resolve(folder, command)] : folders.map((each) => paths.join(each, command))
  const endings = windows ? endingsFor(command, variable(environment, "PATHEXT", windows)) : [""]
  return places.flatMap((place) => endings.map((ending) => `${place}${ending}`)).filter(isProgram)
}

const endingsFor = (command: string, listed: string): ReadonlyArray<string> => {
  const endings = (listed === "" ? usualEndings : listed).split(";").filter((ending) => ending !== "")
  const hasEnding = endings.some((ending) => command.toLowerCase().endsWith(ending.toLowerCase()))
  return [...(hasEnding ? [""] : []), ...endings.map((ending) => ending.toLowerCase())]
}

/** Windows ignores the case of a variable's name, but a copy of the environment does not: there, PATH is often Path. */
const variable = (environment: SearchSystem["environment"], name: string, windows: boolean): string => {
  const exact = environment[name]
  if (exact !== undefined || !windows) return exact ?? ""
  const key = Object.keys(environment).find((other) => other.toUpperCase() === name)
  return (key === undefined ? undefined : environment[key]) ?? ""
}

/** The arguments for `child_process.spawn`. */
export interface ProgramStart {
  readonly file: string
  readonly args: ReadonlyArray<string>
  readonly windowsVerbatimArguments: boolean
}

/**
 * Returns how to start a command. Windows runs batch files (`.cmd`, `.bat`: most programs that npm installs) only with
 * its command interpreter. The interpreter changes quotes and `%` in arguments; Left says why such an argument is
 * refused. Everywhere else, the arguments reach the program unchanged.
 */
export const programStart = (
  command: string,
  args: ReadonlyArray<string>,
  system: SearchSystem,
  folder?: string
): Either.Either<ProgramStart, string> => {
  const plain = { file: command, args, windowsVerbatimArguments: false }
  if (system.platform !== "win32") return Either.right(plain)
  const [found] = programsNamed(command, system, folder)
  if (found === undefined) return Either.right(plain)
  if (!/\.(?:cmd|bat)$/iu.test(found)) return Either.right({ ...plain, file: found })
  const unsafe = [found, ...args].find((each) => /["%\r\n\0]/u.test(each))
  if (unsafe !== undefined)
    return Either.left(
      `${found} is a batch file, so ${JSON.stringify(unsafe)} cannot be passed safely: it contains a quote, a % or a line break; name an .exe, or node and the script`
    )
  const words = [found, ...args].map((each) => `"${each.replace(/\\+$/u, "$&$&")}"`).join(" ")
  return Either.right({
    file: variable(system.environment, "COMSPEC", true) || "cmd.exe",
    // /d: no AutoRun commands; /s: take off the outer quotes only; /v:off: "!" is a plain character.
    args: ["/d", "/v:off", "/s", "/c", `"${words}"`],
    windowsVerbatimArguments: true
  })
}
