/**
 * eSpeak NG's data folder, which neural voices use to convert text to phonemes. It is unpacked from the package of the
 * embedded engine. All voices share one folder with all dictionaries, so that no voice depends on which others exist.
 */
import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { makeFolder } from "../../system/Folder.ts"
import { espeakPackage, espeakPackageName } from "../EspeakPackage.ts"

/** The folder inside the package's file system. */
const root = "/usr/share/espeak-ng-data/"
/** Data for speech that phonemes do not need: variants of voices, and MBROLA's tables. */
const unneeded = /^(?:voices|mbrola_ph)\//u

/** Returns the data folder; unpacks it into `cache` if it is missing there. Undefined without the embedded engine. */
export const espeakDataFolder = async (cache: string): Promise<string | undefined> => {
  const script = espeakPackage()
  if (script === undefined) return undefined
  const about: unknown = JSON.parse(await readFile(join(dirname(script), "package.json"), "utf8"))
  const version =
    typeof about === "object" && about !== null && "version" in about ? String(about.version) : "0"
  const folder = join(cache, `espeak-ng-data-${version}`)
  if (existsSync(folder)) return folder
  makeFolder(cache)
  const staging = join(cache, `.espeak-${randomUUID()}`)
  try {
    await unpack(script, staging)
    await rename(staging, folder)
  } catch (cause) {
    await rm(staging, { recursive: true, force: true })
    // Another process may have unpacked it meanwhile.
    if (!existsSync(folder)) throw cause
  }
  return folder
}

/** Unpacks the files that the package's script lists with their ranges in its data file. */
const unpack = async (script: string, folder: string): Promise<void> => {
  const listed = [
    ...(await readFile(script, "utf8")).matchAll(/\{filename:"([^"]+)",start:(\d+),end:(\d+)/gu)
  ].flatMap(([, file = "", start, end]) =>
    file.startsWith(root) && !unneeded.test(file.slice(root.length))
      ? [{ file: file.slice(root.length), start: Number(start), end: Number(end) }]
      : []
  )
  if (!listed.some(({ file }) => file === "phontab"))
    throw new Error(`${espeakPackageName} lists no phoneme data`)
  const data = await open(join(dirname(script), "espeak-ng.data"), "r")
  try {
    for (const { file, start, end } of listed) {
      const { buffer } = await data.read(Buffer.alloc(end - start), 0, end - start, start)
      const path = join(folder, ...file.split("/"))
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, buffer)
    }
  } finally {
    await data.close()
  }
}
