/** The commands `voices add`, `list` and `remove`: neural voices on this machine. */
import { Config, Effect, Option, Schedule } from "effect"
import {
  type InstalledVoice,
  installedVoices,
  neuralCache,
  voicesFolder
} from "../../engines/voices/InstalledVoices.ts"
import { type CataloguedVoice, voiceCatalogue } from "../../engines/voices/VoiceCatalogue.ts"
import { megabytes, VoiceNotAdded } from "../../engines/voices/VoiceFault.ts"
import {
  clearLeftovers,
  installCatalogued,
  installLocal,
  removeVoice
} from "../../engines/voices/VoiceInstallation.ts"
import type { VoiceLicence, VoiceRecord } from "../../engines/voices/VoiceRecord.ts"
import { sherpaAdvice, sherpaPackages } from "../../engines/neural/SherpaPackage.ts"
import { httpClient } from "../../gateway/exchange/HttpTransport.ts"
import { lockFolder } from "../../store/state/WriterLock.ts"
import { makeFolder } from "../../system/Folder.ts"
import { CommandEnded, exitCodes } from "../ExitCodes.ts"
import { Screen } from "../terminal/Screen.ts"
import { textTable } from "../terminal/TextTable.ts"

/** Ends the scope, and maps failures to exit codes: 3 if another attempt may succeed, else 2. */
const coded = <A, E, R>(command: Effect.Effect<A, E | VoiceNotAdded, R>) =>
  Effect.scoped(command).pipe(
    Effect.catchIf(
      (failure) => failure instanceof VoiceNotAdded,
      ({ reason, message }) =>
        new CommandEnded({
          code: reason === "network" || reason === "disk" ? exitCodes.failed : exitCodes.unusable,
          message
        })
    )
  )

export const addVoicesCommand = Effect.fn("VoicesCommand.addVoicesCommand")(function* (options: {
  readonly voices: ReadonlyArray<string>
}) {
  const screen = yield* Screen
  const folder = yield* voicesFolder
  const cache = yield* neuralCache
  const mirror = Option.getOrUndefined(yield* Config.option(Config.string("DUBWRIGHT_VOICES_MIRROR")))
  yield* locked(folder)
  for (const name of options.voices) {
    const known = voiceCatalogue.find(({ id }) => id === name)
    if (known !== undefined && (yield* installedVoices).some(({ record }) => isCurrent(record, known))) {
      yield* screen.say(`${name} is already installed`)
      continue
    }
    if (known !== undefined)
      yield* screen.say(`${name}: ${megabytes(known.bytes)}, licence: ${licenceText(known.licence)}`)
    const record = yield* showing(name, (progress) => {
      const target = { folder, cache, mirror, progress }
      return known === undefined ? installLocal(name, target) : installCatalogued(known, target)
    }).pipe(Effect.provide(httpClient))
    const { id, speakers } = record
    const [first] = speakers
    yield* screen.say(
      speakers.length === 1
        ? `installed ${id}`
        : `installed ${id}: ${speakers.length} voices, such as ${first.id}`
    )
  }
  if (sherpaPackages().length === 0) yield* screen.say(`to speak with neural voices: ${sherpaAdvice}`)
}, coded)

export const removeVoicesCommand = Effect.fn("VoicesCommand.removeVoicesCommand")(function* (options: {
  readonly voices: ReadonlyArray<string>
}) {
  const screen = yield* Screen
  const folder = yield* voicesFolder
  yield* locked(folder)
  for (const id of options.voices) {
    const isName = /^[A-Za-z0-9][A-Za-z0-9._-]*$/u.test(id)
    if (!isName || !(yield* removeVoice(id, folder)))
      return yield* new VoiceNotAdded({
        voice: id,
        reason: "unknown",
        detail: "no such voice is installed; dubwright voices list shows the installed ones"
      })
    yield* screen.say(`removed ${id}`)
  }
}, coded)

export const listVoicesCommand = Effect.fn("VoicesCommand.listVoicesCommand")(function* (options: {
  readonly json: boolean
}) {
  const screen = yield* Screen
  const installed = yield* installedVoices
  const rows = [
    ...installed.map(installedRow),
    ...voiceCatalogue.filter(({ id }) => !installed.some(({ record }) => record.id === id)).map(availableRow)
  ]
  if (options.json)
    return yield* screen.result(JSON.stringify({ folder: yield* voicesFolder, voices: rows }, null, 2))
  yield* screen.result(
    textTable(
      ["voice", "installed", "size", "languages", "voices", "licence"],
      rows.map((row) => [
        row.id,
        row.installed ? "yes" : "no",
        megabytes(row.bytes),
        row.languages.length > 4
          ? `${row.languages.slice(0, 3).join(" ")} and ${row.languages.length - 3} more`
          : row.languages.join(" "),
        row.speakers,
        licenceText(row.licence)
      ]),
      screen.look
    )
  )
})

const installedRow = ({ record }: InstalledVoice) => ({
  id: record.id,
  installed: true,
  /** Size of the installed files, or of the download. */
  bytes: Object.values(record.files).reduce((sum, size) => sum + size, 0),
  languages: [...new Set(record.speakers.flatMap(({ languages }) => languages))],
  speakers: record.speakers.length,
  licence: record.licence
})

const availableRow = ({ id, bytes, languages, speakers, licence }: CataloguedVoice) => ({
  id,
  installed: false,
  bytes,
  languages,
  speakers,
  licence
})

const isCurrent = (record: VoiceRecord, known: CataloguedVoice): boolean =>
  record.id === known.id && record.sha256 === known.sha256

const licenceText = ({ name, note }: VoiceLicence): string => (note === undefined ? name : `${name}; ${note}`)

/** Locks the folder of voices until the scope closes, and deletes the leftovers of a killed process. */
const locked = (folder: string) =>
  Effect.zipRight(
    Effect.try({
      try: () => makeFolder(folder),
      catch: (cause) =>
        new VoiceNotAdded({
          voice: folder,
          reason: "disk",
          detail: `cannot create the folder of voices: ${cause instanceof Error ? cause.message : String(cause)}; set DUBWRIGHT_VOICES to another folder`
        })
    }),
    lockFolder(folder).pipe(
      Effect.catchTag(
        "StateBusy",
        ({ holder }) =>
          new CommandEnded({
            code: exitCodes.held,
            message: `another dubwright${holder === undefined ? "" : ` (process ${holder.pid})`} is changing the voices in ${folder}; wait until it ends, then run the same command again`
          })
      )
    )
  ).pipe(Effect.zipRight(clearLeftovers(folder)))

/** Draws the progress of an installation on a terminal; else, prints a line every ten seconds. */
const showing = <A, E, R>(
  name: string,
  work: (progress: (doing: "downloading" | "unpacking", share: number) => void) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    let row = ""
    const drawing = Effect.suspend(() => (row === "" ? Effect.void : screen.draw([row])))
    const printing = Effect.delay(
      Effect.suspend(() => (row === "" ? Effect.void : screen.say(row))),
      "10 seconds"
    )
    yield* Effect.forkScoped(
      screen.live ? Effect.repeat(drawing, Schedule.spaced("250 millis")) : Effect.forever(printing)
    )
    return yield* Effect.ensuring(
      work((doing, share) => {
        row = `${doing} ${name}: ${Math.floor(share * 100)} %`
      }),
      Effect.suspend(() => {
        row = ""
        return screen.draw([])
      })
    )
  }).pipe(Effect.scoped)
