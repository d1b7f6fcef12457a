/**
 * The installation of voices: an interrupted, wrong or hostile download leaves at most a partial file, which the next
 * one continues.
 */
import { spawnSync } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { afterAll, describe } from "vitest"
import { unpackArchive } from "../../../src/engines/voices/VoiceInstallation.ts"
import { type CataloguedVoice, voiceCatalogue } from "../../../src/engines/voices/VoiceCatalogue.ts"
import {
  type InstallTarget,
  installCatalogued,
  installLocal,
  removeVoice
} from "../../../src/engines/voices/VoiceInstallation.ts"
import { httpClient } from "../../../src/gateway/exchange/HttpTransport.ts"
import { writePiperVoice, writeSpellingVoice } from "../neural/tinyVoice.ts"
import { type ArchiveEntry, archiveOf, voiceEntries, voiceServer } from "./voiceServer.ts"

const home = mkdtempSync(join(tmpdir(), "dubwright-voices-"))
afterAll(() => rmSync(home, { recursive: true, force: true }))
let count = 0
const newTarget = (): InstallTarget => ({
  folder: join(home, String(++count), "voices"),
  cache: join(home, "cache"),
  pause: "1 millis",
  progress: () => undefined
})

const whole = await archiveOf(voiceEntries)

const catalogued = (body: Buffer, addresses: CataloguedVoice["addresses"]): CataloguedVoice => ({
  id: "tiny",
  name: "Tiny",
  addresses,
  bytes: body.length,
  sha256: createHash("sha256").update(body).digest("hex"),
  unpacked: 100_000,
  licence: { name: "MIT", attribution: "Tiny voices" },
  languages: ["en-US"],
  speakers: 1,
  proposed: true
})

/** Serves an archive; returns the server, the voice and where to install it. */
const served = (body: Buffer = whole) =>
  Effect.map(voiceServer(body), (server) => {
    const target = newTarget()
    const voice = catalogued(body, [`${server.address}/file.tar.gz`])
    const install = (more: Partial<CataloguedVoice> = {}) =>
      Effect.provide(installCatalogued({ ...voice, ...more }, target), httpClient)
    const failure = (more: Partial<CataloguedVoice> = {}) =>
      Effect.map(Effect.flip(install(more)), ({ message }) =>
        message.replaceAll(new URL(server.address).host, "HOST")
      )
    const files = () => (existsSync(target.folder) ? readdirSync(target.folder).sort() : [])
    return { ...server, target, voice, install, failure, files }
  })

it.scopedLive("installs a voice with its record, and removes it", () =>
  Effect.gen(function* () {
    const { address, target, voice, install, files, seen } = yield* served()
    yield* install({ addresses: [`${address}/moved/file.tar.gz`] })
    expect(files()).toEqual(["tiny"])
    expect(readFileSync(join(target.folder, "tiny/docs/LICENSE"), "utf8")).toBe("Free.\n")
    const { files: sizes, ...record } = JSON.parse(
      readFileSync(join(target.folder, "tiny/voice.json"), "utf8")
    )
    expect(record).toEqual({
      id: "tiny",
      name: "Tiny",
      licence: voice.licence,
      source: `${address}/moved/file.tar.gz`,
      sha256: voice.sha256,
      model: "",
      languages: ["en-US"],
      speakers: [{ id: "tiny", name: "Tiny", languages: ["en-US"] }]
    })
    expect(Object.keys(sizes).sort()).toEqual(["docs/LICENSE", "model.onnx", "tokens.txt"])
    expect(seen).toEqual([{ range: undefined, status: 200 }])
    expect(yield* removeVoice("tiny", target.folder)).toBe(true)
    expect(yield* removeVoice("tiny", target.folder)).toBe(false)
    expect(files()).toEqual([])
  })
)

it.scopedLive("continues an interrupted download, and begins anew if the file has changed", () =>
  Effect.gen(function* () {
    const { file, target, seen, install, failure, files } = yield* served()
    file.breakAfter = 200
    file.written = () => {
      const part = files().find((name) => name.endsWith(".part"))
      return part === undefined ? 0 : statSync(join(target.folder, part)).size
    }
    expect(yield* failure()).toMatch(
      /^voice tiny: the download from HOST stopped at 0\.0 MB of 0\.0 MB \(.+\); run the same command again to continue it$/u
    )
    expect(files()).toEqual(["tiny.part", "tiny.part.json"])
    expect(seen.map(({ range }) => range)).toEqual([undefined, "bytes=200-", "bytes=400-"])
    file.breakAfter = 0
    yield* install()
    expect(seen.at(-1)).toEqual({ range: "bytes=600-", status: 206 })
    expect(files()).toEqual(["tiny"])
    file.breakAfter = 200
    yield* Effect.flip(install({ id: "other" }))
    file.breakAfter = 0
    file.etag = '"two"'
    yield* install({ id: "other" })
    expect(seen.at(-1)).toEqual({ range: "bytes=600-", status: 200 })
    expect(files()).toEqual(["other", "tiny"])
  })
)

it.scopedLive("takes a mirror, and the next address if one fails", () =>
  Effect.gen(function* () {
    const { address, target, voice, install, failure, files } = yield* served()
    yield* install({ addresses: ["http://127.0.0.1:9/a.tar.gz", `${address}/file.tar.gz`] })
    yield* removeVoice("tiny", target.folder)
    const mirrored = { ...voice, addresses: ["http://127.0.0.1:9/file.tar.gz"] as const }
    yield* Effect.provide(installCatalogued(mirrored, { ...target, mirror: `${address}/` }), httpClient)
    expect(files()).toEqual(["tiny"])
    expect(yield* failure({ id: "gone", addresses: ["http://127.0.0.1:9/x"] })).toContain(
      "the download from 127.0.0.1:9 stopped at 0.0 MB of 0.0 MB (connect ECONNREFUSED"
    )
  })
)

describe("leaves nothing behind and reports the cause:", () => {
  it.scopedLive("another size, a longer body, another digest, no such file", () =>
    Effect.gen(function* () {
      const { file, voice, failure, files } = yield* served()
      expect(yield* failure({ bytes: 5 })).toBe(
        `voice tiny: the file at HOST has ${whole.length} bytes; expected 5: it was replaced, so it was not downloaded`
      )
      expect(yield* failure({ sha256: "0".repeat(64) })).toBe(
        `voice tiny: the download has the SHA-256 ${voice.sha256}; expected ${"0".repeat(64)}: the file at HOST was replaced or damaged, and was deleted`
      )
      file.status = 404
      expect(yield* failure()).toMatch(
        /^voice tiny: HOST responded with HTTP status 404; check http:\S+, or set DUBWRIGHT_VOICES_MIRROR$/u
      )
      expect(files()).toEqual([])
    })
  )

  const withEntry = (...entry: ArchiveEntry) => [...voiceEntries, entry]
  const nothing = "; nothing was installed"
  it.scopedLive.each<readonly [title: string, entries: ReadonlyArray<ArchiveEntry>, message: string]>([
    [
      "a symbolic link",
      withEntry({ name: "tiny/link", type: "symlink", linkname: "/etc/passwd" }),
      'the archive contains "tiny/link", which is a symlink, not a file or folder'
    ],
    [
      "a hard link",
      withEntry({ name: "tiny/hard", type: "link", linkname: "tiny/model.onnx" }),
      'the archive contains "tiny/hard", which is a link, not a file or folder'
    ],
    [
      "a device",
      withEntry({ name: "tiny/null", type: "character-device" }),
      'the archive contains "tiny/null", which is a character-device, not a file or folder'
    ],
    [
      "a path upwards",
      withEntry({ name: "tiny/../../escaped" }, "x"),
      'the archive contains the path "tiny/../../escaped", which leads out of its folder'
    ],
    [
      "an absolute path",
      withEntry({ name: "/tmp/escaped" }, "x"),
      'the archive contains the path "/tmp/escaped", which leads out of its folder'
    ],
    [
      "a path for Windows",
      withEntry({ name: "tiny/..\\escaped" }, "x"),
      'the archive contains the path "tiny/..\\\\escaped", which leads out of its folder'
    ],
    [
      "a file outside of the folder",
      withEntry({ name: "loose" }, "x"),
      'the archive contains "loose" outside of a folder; expected one folder with the voice\'s files'
    ],
    [
      "more bytes than declared",
      // So long that it is still being read when it is refused.
      withEntry({ name: "tiny/noise" }, randomBytes(1_000_000)),
      "the archive unpacks to more than 100000 bytes"
    ],
    ["no files", [], "the archive is empty"],
    [
      "no voice",
      [[{ name: "tiny/README" }, "x"]],
      "its files: no model in this folder; expected a file *.onnx"
    ]
  ])("%s", ([, entries, message]) =>
    Effect.gen(function* () {
      const { failure, files } = yield* served(yield* Effect.promise(() => archiveOf(entries)))
      const ending = message.startsWith("the archive") ? nothing : ""
      expect(yield* failure()).toBe(`voice tiny: ${message}${ending}`)
      expect(files()).toEqual([])
      expect(existsSync("/tmp/escaped") || existsSync(join(home, "escaped"))).toBe(false)
    })
  )

  it.scopedLive("an archive that ends early, or a file that is not an archive", () =>
    Effect.gen(function* () {
      for (const body of [whole.subarray(0, whole.length - 100), Buffer.from("<html>")]) {
        const { failure, files } = yield* served(body)
        expect(yield* failure()).toMatch(
          /^voice tiny: the archive is (?:damaged or incomplete|neither a \.tar\.bz2 nor a \.tar\.gz file); nothing was installed$/u
        )
        expect(files()).toEqual([])
      }
    })
  )
})

const small = join(home, "small")
mkdirSync(small)
const mounted =
  process.platform === "linux" &&
  spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", small]).status === 0
afterAll(() => void (mounted && spawnSync("umount", [small])))

it.scopedLive.skipIf(!mounted)("a full disk stops it before and while it unpacks (needs root on Linux)", () =>
  Effect.gen(function* () {
    const target = { ...newTarget(), folder: join(small, "voices") }
    const { voice } = yield* served()
    const early = yield* Effect.flip(
      Effect.provide(installCatalogued({ ...voice, unpacked: 5_000_000 }, target), httpClient)
    )
    expect(early.message).toBe(
      "voice tiny: it needs 5.0 MB while it is installed, but the disk has 0.3 MB; free some space, or set DUBWRIGHT_VOICES to another folder"
    )
    const archive = join(home, "large.tar.gz")
    writeFileSync(
      archive,
      yield* Effect.promise(() =>
        archiveOf([...voiceEntries, [{ name: "tiny/zeros" }, Buffer.alloc(400_000)]])
      )
    )
    const late = yield* Effect.flip(installLocal(archive, target))
    expect(late.message).toBe(
      "voice large: the disk is full; free some space, then run the same command again"
    )
    expect(readdirSync(target.folder)).toEqual([])
  })
)

it.scopedLive("installs and replaces folders, Piper voices and archives that the user has", () =>
  Effect.gen(function* () {
    const target = newTarget()
    const folder = writeSpellingVoice(join(home, "own", "letters"), { speakers: 2 })
    const record = yield* installLocal(folder, target)
    expect(record.speakers.map(({ id }) => id)).toEqual(["letters.0", "letters.1"])
    yield* installLocal(folder, target)
    const model = writePiperVoice(join(home, "own", "piper"), "vi_VN-linh-low")
    expect(yield* installLocal(model, target)).toMatchObject({
      id: "vi_VN-linh-low",
      model: "vi_VN-linh-low.onnx",
      speakers: [{ id: "vi_VN-linh-low", languages: ["vi-VN"] }]
    })
    expect(readdirSync(join(target.folder, "vi_VN-linh-low")).sort()).toEqual([
      "vi_VN-linh-low.onnx",
      "vi_VN-linh-low.onnx.json",
      "voice.json"
    ])
    const archive = join(home, "own", "packed.tar.gz")
    writeFileSync(archive, whole)
    yield* installLocal(archive, target)
    expect(readdirSync(target.folder).sort()).toEqual(["letters", "packed", "vi_VN-linh-low"])
    const { message } = yield* Effect.flip(installLocal(join(home, "none"), target))
    expect(message).toBe(
      `voice ${home}/none: no such voice, folder or file; dubwright voices list shows the voices to download`
    )
  })
)

it("unpacks bzip2, as most voices are published", async () => {
  const archive = join(home, "licence.tar.bz2")
  const folder = join(home, "unpacked")
  writeFileSync(archive, Buffer.from(licenceArchive, "base64"))
  await unpackArchive(archive, folder, { voice: "tiny", bytes: 100 }, () => undefined)
  expect(readdirSync(folder)).toEqual(["LICENSE"])
  expect(readFileSync(join(folder, "LICENSE"), "utf8")).toBe("Free.\n")
})

/** A folder `tiny` with a file LICENSE, as .tar.bz2: Node.js has no encoder for it. */
const licenceArchive =
  "QlpoOTFBWSZTWdcwifkAALD/kMmQAFBAAf+ACyUMCGIhniAEAAAIIAByEqQAAANGQGmmgkkptMppo08hMQ00NGjUP19fGcB6QFUUgFZS8nBwV26j" +
  "ikiIQwKbkvOxc8SV7CXjSB0GAxYewyJErKpZYxO+i3cqX1KHAlT4wfBoejNRI4iBw274cWCEB+LuSKcKEhrmET8g"

it("the catalogue is complete and consistent", () => {
  expect(voiceCatalogue.length).toBeGreaterThan(2)
  expect(new Set(voiceCatalogue.map(({ id }) => id)).size).toBe(voiceCatalogue.length)
  for (const { id, addresses, bytes, sha256, unpacked, languages } of voiceCatalogue) {
    expect(id).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]*$/u)
    expect(addresses.every((address) => address.startsWith("https://"))).toBe(true)
    expect(sha256).toMatch(/^[0-9a-f]{64}$/u)
    expect(unpacked).toBeGreaterThan(bytes)
    expect(Intl.getCanonicalLocales([...languages])).toEqual(languages)
  }
})
