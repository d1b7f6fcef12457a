/** The user's folders by platform. */
import { expect, test } from "vitest"
import { cacheFolder, homeFolder } from "../../src/system/UserFolders.ts"

test("files that can be made again go where each platform keeps them", () => {
  const linux = (environment: Record<string, string>) => cacheFolder("linux", environment, "/home/lan")
  expect(linux({})).toBe("/home/lan/.cache/dubwright")
  expect(linux({ XDG_CACHE_HOME: "/big/cache" })).toBe("/big/cache/dubwright")
  expect(linux({ XDG_CACHE_HOME: "" })).toBe("/home/lan/.cache/dubwright")
  expect(linux({ XDG_CACHE_HOME: "beside" }), "a relative folder counts as unset").toBe(
    "/home/lan/.cache/dubwright"
  )
  expect(cacheFolder("darwin", { XDG_CACHE_HOME: "/big" }, "/Users/lan")).toBe(
    "/Users/lan/Library/Caches/dubwright"
  )
  const windows = (environment: Record<string, string>) =>
    cacheFolder("win32", environment, String.raw`C:\Users\Lan`)
  expect(windows({ LOCALAPPDATA: String.raw`D:\Local` })).toBe(String.raw`D:\Local\dubwright\Cache`)
  expect(windows({})).toBe(String.raw`C:\Users\Lan\AppData\Local\dubwright\Cache`)
})

test("a user may have no home folder, as in a container", () => {
  const absent = () => {
    throw new Error("uv_os_homedir returned ENOENT")
  }
  expect(homeFolder(absent)).toBeUndefined()
  expect(homeFolder(() => "/home/lan")).toBe("/home/lan")
})
