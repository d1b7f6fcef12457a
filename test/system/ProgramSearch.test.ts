/** Finding and starting programs as Linux, macOS and Windows do, with the system injected. */
import { Either } from "effect"
import { describe, expect, test } from "vitest"
import { programsNamed, programStart, type SearchSystem } from "../../src/system/ProgramSearch.ts"

const system = (
  platform: NodeJS.Platform,
  environment: SearchSystem["environment"],
  files: ReadonlyArray<string>
): SearchSystem => ({ platform, environment, isProgram: (path) => files.includes(path) })

describe("programs on Windows", () => {
  const files = [
    String.raw`C:\npm\sox.cmd`,
    String.raw`C:\Program Files\SoX\sox.exe`,
    String.raw`D:\job\say.bat`,
    String.raw`D:\job\tools\say.exe`
  ]
  const windows = system(
    "win32",
    { Path: String.raw`C:\npm;;"C:\Program Files\SoX"`, PATHEXT: ".EXE;.CMD;.BAT" },
    files
  )

  test("are found by PATH, whatever its case, and by PATHEXT", () => {
    expect(programsNamed("sox", windows)).toEqual(files.slice(0, 2))
    expect(programsNamed("sox.exe", windows)).toEqual([files[1]])
    expect(programsNamed("SOX", system("win32", { PATH: "C:\\npm" }, ["C:\\npm\\SOX.bat"]))).toEqual([
      "C:\\npm\\SOX.bat"
    ])
    expect(programsNamed("flac", windows)).toEqual([])
  })

  test("are found by paths with either slash and with a drive, relative to a folder", () => {
    expect(programsNamed("./tools/say", windows, "D:\\job")).toEqual([files[3]])
    expect(programsNamed(".\\say.bat", windows, "D:\\job")).toEqual([files[2]])
    expect(programsNamed("D:\\job\\say", windows, "C:\\")).toEqual([files[2]])
    expect(programsNamed("D:say", windows, "D:\\job")).toEqual([files[2]])
  })

  test("start as they are, and batch files by the command interpreter", () => {
    expect(programStart("sox.exe", ["a b", '"'], windows)).toEqual(
      Either.right({ file: files[1], args: ["a b", '"'], windowsVerbatimArguments: false })
    )
    expect(programStart("sox", ["a b", "C:\\x\\", "&", "^", "!"], windows)).toEqual(
      Either.right({
        file: "cmd.exe",
        args: ["/d", "/v:off", "/s", "/c", String.raw`""C:\npm\sox.cmd" "a b" "C:\x\\" "&" "^" "!""`],
        windowsVerbatimArguments: true
      })
    )
    for (const unsafe of ['a"b', "%PATH%", "a\nb"])
      expect(programStart("sox", [unsafe], windows)).toEqual(
        Either.left(
          String.raw`C:\npm\sox.cmd is a batch file, so ${JSON.stringify(unsafe)} cannot be passed safely: it contains a quote, a % or a line break; name an .exe, or node and the script`
        )
      )
    expect(programStart("flac", ["%"], windows)).toEqual(
      Either.right({ file: "flac", args: ["%"], windowsVerbatimArguments: false })
    )
  })
})

describe("programs on Linux and macOS", () => {
  const linux = system("linux", { PATH: "/usr/bin::/opt/bin", Path: "/no" }, [
    "/usr/bin/sox",
    "/opt/bin/sox",
    "/opt/bin/a\\b",
    "/job/say"
  ])

  test("are found by PATH, without endings, and started by their name", () => {
    expect(programsNamed("sox", linux)).toEqual(["/usr/bin/sox", "/opt/bin/sox"])
    expect(programsNamed("a\\b", linux)).toEqual(["/opt/bin/a\\b"])
    expect(programsNamed("./say", linux, "/job")).toEqual(["/job/say"])
    expect(programStart("sox", ["%", '"'], linux)).toEqual(
      Either.right({ file: "sox", args: ["%", '"'], windowsVerbatimArguments: false })
    )
  })
})
