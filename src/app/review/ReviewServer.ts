/** The review server: serves the report pages with their editor, and handles the editor's requests. */
import { existsSync, createReadStream, statSync } from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import { Path } from "@effect/platform"
import {
  Cause,
  Effect,
  Either,
  Runtime,
  Clock,
  Data,
  Schedule,
  Layer,
  RcMap,
  Schema,
  Scope,
  Queue
} from "effect"
import { builtParts } from "../../pages/documents/BuiltParts.ts"
import { errorPage } from "../../pages/documents/ErrorPage.ts"
import { readCue } from "../../pipeline/review/ReviewedLines.ts"
import { ReviewFailed } from "../../pipeline/review/ReviewFailed.ts"
import {
  filmShown,
  reviewedBatch,
  reviewedJob,
  soundOf,
  rewriteBatch
} from "../../pipeline/review/ReviewPages.ts"
import { parseApproval, parseShape, parseVoice } from "../../pipeline/review/ReviewRequests.ts"
import { readSpeakers, planVoice } from "../../pipeline/review/ReviewVoices.ts"
import { parseEdits, type ReviewChanges } from "../../pipeline/review/ReviewEdits.ts"
import { listenHttp } from "../../service/http/HttpServer.ts"
import { loadBatchInput, type BatchOptions } from "../batch/BatchInput.ts"
import { exitCodeFor } from "../ExitCodes.ts"
import { makeReviewAccess, type AccessRefusal } from "./ReviewAccess.ts"
import { isPosted, routeOf, type PostedRoute, type Route } from "./ReviewRoutes.ts"
import { Screen } from "../terminal/Screen.ts"
import { createHash } from "node:crypto"
import { stat } from "node:fs/promises"
import { extname, join } from "node:path"
import { pipeline } from "node:stream/promises"
import type { Html } from "../../pages/parts/Html.ts"
import {
  previewFrom,
  type ApprovalRequest,
  type DeliveryStanding,
  type ReviewEdits,
  type Take
} from "../../pages/data/ReviewProtocol.ts"
import { type TakePreview, previewOf, type PlacedTake } from "../../pipeline/review/TakePreview.ts"
import { rangeOf } from "../../service/http/FileResponse.ts"
import type { Batch, Job } from "../../pipeline/load/Job.ts"
import type { SpeakerVoice } from "../../domain/manifest/ReviewDecisions.ts"
import { cueEntries, type OverridesEntry } from "../../pipeline/load/OverridesFile.ts"
import { cueDigest, jobDigest, shownApprovals } from "../../pipeline/report/Approvals.ts"
import { reportIn } from "../../pipeline/report/ReportFile.ts"
import { shapeChange, type Shape } from "../../pipeline/review/ReviewShapes.ts"
import {
  changesFor,
  changesToAccept,
  changesToWithdraw,
  deliverEdited,
  prepareEdit,
  makeTake,
  type HeardChanges
} from "../../pipeline/review/ReviewSession.ts"
import { moveAcross, saveChanges } from "../../pipeline/review/ReviewHistory.ts"
import { makePlanMemory } from "../../pipeline/review/PlanMemory.ts"
import { makeReviewMemory } from "../../pipeline/review/ReviewMemory.ts"
import { StateBusy } from "../../store/state/StateErrors.ts"
import { Dialect } from "../../domain/manifest/ServiceDialect.ts"
import type { Engine } from "../../engines/Engine.ts"
import { gatewayAt } from "../../library/layers/GatewayLayers.ts"
import { silent } from "../../pipeline/Progress.ts"
import { bundledPlace, gatewayTo } from "../layers/GatewayLayer.ts"
import { writableStateLayer } from "../../store/tables/StateLayers.ts"

/** Serves on loopback until the scope closes. Prints the address to open, and new ones for other browsers. */
export const serveReview = Effect.fn("ReviewServer.serveReview")(function* (
  options: BatchOptions,
  port: number,
  by: string
) {
  const screen = yield* Screen
  const work = yield* makeReviewWork(options, by)
  const media = new Map<string, string>()
  const answering = (route: Route, request: IncomingMessage, response: ServerResponse) =>
    answered(options, work, media, route, request, response)
  const runtime = yield* Effect.runtime<Effect.Effect.Context<ReturnType<typeof answering>>>()
  const fork = Runtime.runFork(runtime)
  const print = (address: string) => screen.result(`review ${address}`)
  let access = makeReviewAccess("http://127.0.0.1")
  const { address } = yield* listenHttp(
    (request, response) => {
      const { method = "", url = "", headers } = request
      const refuse = ({ status, error, address }: AccessRefusal) => {
        if (address !== undefined) fork(print(address))
        sendTrouble(request, response, status, error)
      }
      const decision = access.decide({ method, url, headers })
      if (Either.isLeft(decision)) return refuse(decision.left)
      switch (decision.right._tag) {
        case "Entry":
          return sendAway(response, "index.html", { "set-cookie": decision.right.cookie })
        case "Reload":
          return sendReload(response)
        case "Admitted":
          return Either.match(routeOf(decision.right), {
            onLeft: refuse,
            onRight: (route) => void fork(answering(route, request, response))
          })
      }
    },
    { host: "127.0.0.1", port, connections: 64, requestSeconds: 30 }
  )
  access = makeReviewAccess(address)
  yield* print(access.address)
})

/**
 * Handles one request; a failure is answered with its message. Reloads the batch, since its files may have changed.
 * Players ask for many ranges, so `media` has the paths of the files that a page shows, until it is loaded again.
 */
const answered = Effect.fnUntraced(
  function* (
    options: BatchOptions,
    work: ReviewWork,
    media: Map<string, string>,
    route: Route,
    request: IncomingMessage,
    response: ServerResponse
  ) {
    if (route._tag === "Home") return sendAway(response, "index.html")
    if (route._tag === "Delivery") return sendJson(response, 200, work.standing(route.job))
    if (route._tag === "Preview") return sendPreview(response, yield* work.preview(route.job, route.cue))
    if (isPosted(route)) return sendJson(response, 200, yield* changed(work, route, yield* bodyOf(request)))
    const address = "file" in route ? JSON.stringify(route) : ""
    const known = media.get(address)
    if (known !== undefined && existsSync(known)) return yield* sendMedia(request, response, known)
    const batch = yield* loadBatchInput(options)
    if (route._tag === "Batch") return sendPage(response, yield* reviewedBatch(batch))
    const job = yield* jobIn(batch, route.job)
    switch (route._tag) {
      case "Report":
        media.clear()
        return sendPage(response, yield* reviewedJob(batch, job))
      case "Speakers":
        return sendJson(response, 200, yield* readSpeakers(batch, job))
      case "Cue": {
        const plan = yield* work.planned(batch, job)
        const takes = work.takesOf(job.id, route.cue)
        sendJson(response, 200, yield* readCue(batch, job, plan, route.cue, takes))
        // An edit box was opened, so an edit may follow.
        return yield* work.prepare(batch)
      }
      case "File": {
        const { join } = yield* Path.Path
        const sound = yield* soundOf(batch.out, job)
        if (sound === undefined || route.file !== sound) return yield* new NoSuchPage()
        const path = join(batch.out, job.id, sound)
        media.set(address, path)
        return yield* sendMedia(request, response, path)
      }
      case "Film": {
        const { basename } = yield* Path.Path
        const film = yield* filmShown(batch, job)
        if (film === undefined || route.file !== basename(film)) return yield* new NoSuchPage()
        media.set(address, film)
        yield* sendMedia(request, response, film)
      }
    }
  },
  (effect, _options, _work, _media, route, request, response) =>
    Effect.catchAllCause(effect, (cause) =>
      Effect.sync(() => {
        const failure = Cause.squash(cause)
        if (failure instanceof NoSuchPage) return sendTrouble(request, response, 404, failure.message)
        const home = route._tag === "Batch" ? undefined : "../index.html"
        sendTrouble(request, response, 422, exitCodeFor(failure).message, home)
      })
    )
)

/** Carries out a request that changes something, or that asks for the price of a change. */
const changed = Effect.fnUntraced(function* (work: ReviewWork, route: PostedRoute, body: string) {
  switch (route._tag) {
    case "Approve":
      return yield* work.approve(route.job, yield* parseApproval(body))
    case "Voice": {
      const voice = yield* parseVoice(body)
      return route.step === "price"
        ? yield* work.voicePrice(route.job, voice)
        : yield* work.saveVoice(route.job, voice)
    }
    case "Shape":
      return yield* work.shape(route, yield* parseShape(route.change, body))
    case "Change":
      return yield* work.change(route, route.change === "withdraw" ? {} : yield* parseEdits(body))
    case "Step":
      return yield* work.step(route.job, route.step)
  }
})

/** Sends a file or the requested part of it; 404 if it does not exist. */
const sendMedia = (request: IncomingMessage, response: ServerResponse, path: string) =>
  Effect.tryPromise({
    try: () => sendFile(response, path, request.headers.range, request.method === "HEAD"),
    catch: () => new NoSuchPage()
  })

/** Sends an error, as a page if a browser asked for one, else as JSON. */
const sendTrouble = (
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  error: string,
  home?: string
): void => {
  if (response.headersSent) response.destroy()
  else if (readsPages(request)) sendPage(response, errorPage(error, home, builtParts.batch), status)
  else sendJson(response, status, { error })
}

/** Whether a browser asked for a page. */
const readsPages = ({ headers }: IncomingMessage): boolean => headers.accept?.includes("text/html") === true

/** Limit of a request body. */
const maxBytes = 256_000

const bodyOf = (request: IncomingMessage): Effect.Effect<string, ReviewFailed> =>
  Effect.tryPromise({
    try: async () => {
      const chunks: Array<Uint8Array> = []
      let bytes = 0
      for await (const chunk of request) {
        const piece = Buffer.from(chunk)
        bytes += piece.length
        if (bytes > maxBytes) throw new Error(`more than ${maxBytes} bytes`)
        chunks.push(piece)
      }
      return Buffer.concat(chunks).toString("utf8")
    },
    catch: (cause) =>
      new ReviewFailed({
        words: `cannot read the request: ${cause instanceof Error ? cause.message : String(cause)}`
      })
  })

const guarded = {
  "cache-control": "no-store",
  "content-security-policy": "frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
}

/** Sends a page. */
const sendPage = (response: ServerResponse, page: Html, status = 200): void => {
  response.writeHead(status, { ...guarded, "content-type": "text/html; charset=utf-8" }).end(page.text)
}

/** Sends a value as JSON. */
const sendJson = (response: ServerResponse, status: number, value: object): void => {
  response
    .writeHead(status, { ...guarded, "content-type": "application/json; charset=utf-8" })
    .end(JSON.stringify(value))
}

/** Sends the mix around a take; nothing, with status 204, if there is none. */
const sendPreview = (response: ServerResponse, preview: TakePreview | undefined): void => {
  if (preview === undefined) return void response.writeHead(204, guarded).end()
  const { from, wav } = preview
  response.writeHead(200, { ...guarded, "content-type": "audio/wav", [previewFrom]: `${from}` }).end(wav)
}

/** Redirects to another page of the same server, so that a reload does not request this URL again. */
const sendAway = (response: ServerResponse, to: string, more: Readonly<Record<string, string>> = {}) => {
  response.writeHead(303, { ...guarded, ...more, location: to }).end()
}

/** Lets the browser request the same page again at once, with an empty query, as this server's own page. */
const sendReload = (response: ServerResponse): void => {
  const policy = `${guarded["content-security-policy"]}; default-src 'none'; script-src 'sha256-${reloadHash}'`
  response
    .writeHead(200, { ...guarded, "content-type": "text/html", "content-security-policy": policy })
    .end(`<!doctype html><script>${reload}</script>`)
}

/** Without the query, a URL with a fragment would not be requested again. */
const reload = 'location.replace("?" + location.hash)'
const reloadHash = createHash("sha256").update(reload).digest("base64")

/** Sends a media file, whole or the requested range. */
const sendFile = async (
  response: ServerResponse,
  path: string,
  range: string | undefined,
  headOnly: boolean
): Promise<void> => {
  const { size } = await stat(path)
  const wanted = rangeOf(range, size)
  const headers = {
    ...guarded,
    "accept-ranges": "bytes",
    "content-type": mediaTypes[extname(path)] ?? "application/octet-stream"
  }
  if (wanted === "beyond") {
    response.writeHead(416, { ...headers, "content-range": `bytes */${size}` }).end()
    return
  }
  const { from, to } = wanted === "whole" ? { from: 0, to: size - 1 } : wanted
  response.writeHead(wanted === "whole" ? 200 : 206, {
    ...headers,
    "content-length": to - from + 1,
    ...(wanted === "whole" ? {} : { "content-range": `bytes ${from}-${to}/${size}` })
  })
  if (headOnly || size === 0) {
    response.end()
    return
  }
  // A player that seeks closes the connection in mid-response.
  await pipeline(createReadStream(path, { start: from, end: to }), response).catch(() => response.destroy())
}

const mediaTypes: Readonly<Record<string, string>> = {
  ".wav": "audio/wav",
  ".flac": "audio/flac",
  ".mp3": "audio/mpeg",
  ".m4a": "audio/mp4",
  ".opus": "audio/ogg",
  ".mp4": "video/mp4",
  ".m4v": "video/mp4",
  ".ogv": "video/ogg",
  ".mov": "video/quicktime",
  ".webm": "video/webm",
  ".mkv": "video/x-matroska"
}

// Work of a review: makes takes, saves accepted changes and delivers them.

/** The URL names a job or file that does not exist in the review. */
class NoSuchPage extends Data.TaggedError("NoSuchPage") {
  override get message(): string {
    return "no such page"
  }
}

/** Returns a job by its id. */
const jobIn = (batch: Batch, id: string) => {
  const job = batch.jobs.find((one) => one.id === id)
  return job === undefined ? Effect.fail(new NoSuchPage()) : Effect.succeed(job)
}

/** A change to a cue. */
type Change = Extract<Route, { readonly _tag: "Change" }>

/** Undo or redo. */
type Step = Extract<Route, { readonly _tag: "Step" }>["step"]

/** Changes to a job's cues as entries of the file. The approvals of these cues no longer apply. */
const changeEntries = ({ id, approvals }: Job, changes: ReviewChanges, cues: ReadonlyArray<number>) => [
  ...cueEntries(id, changes),
  ...cues
    .filter((cue) => approvals?.cues?.[`${cue}`] !== undefined)
    .map((cue): OverridesEntry => ({ path: ["approved", id, "cues", `${cue}`], value: undefined }))
]

export type ReviewWork = Effect.Effect.Success<ReturnType<typeof makeReviewWork>>

/** Starts the background work of a review, which ends with the scope. */
export const makeReviewWork = Effect.fnUntraced(function* (options: BatchOptions, by: string) {
  const screen = yield* Screen
  const scope = yield* Effect.scope
  const { stateOf, speechOf, warm, load } = yield* makeReviewState
  /** One take at a time, so that the same text requested twice is paid for once. */
  const speaking = yield* Effect.makeSemaphore(1)
  /** One save at a time, so that each sees the previous one. */
  const saving = yield* Effect.makeSemaphore(1)
  /** The last take of each cue: accepting it needs no second check. */
  const heard = new Map<string, { readonly edits: string; readonly changes: HeardChanges }>()

  const planned = makePlanMemory()
  /** The last take of all, for its preview. */
  let last:
    | { readonly batch: Batch; readonly id: string; readonly cue: number; readonly placed: PlacedTake }
    | undefined

  const memory = yield* makeReviewMemory(yield* loadBatchInput(options))

  const sounds = makeSoundCounts()

  const deliver = Effect.fnUntraced(function* (id: string, cues: ReadonlySet<number>) {
    const batch = yield* loadBatchInput(options)
    const job = yield* jobIn(batch, id)
    yield* Effect.gen(function* () {
      const plan = yield* speaking.withPermits(1)(prepareEdit(speechOf(batch), batch, job, [...cues]))
      yield* deliverEdited(batch, plan)
    }).pipe(Effect.provide(stateOf(batch)))
    yield* rewriteBatch(batch, job)
  })
  const deliveries = yield* makeDeliveries((job, cues, tell) =>
    deliver(job, cues).pipe(
      Effect.tapErrorTag("StateBusy", (busy) => Effect.sync(() => tell(busy.message))),
      Effect.retry({
        while: (error) => error instanceof StateBusy,
        schedule: Schedule.spaced("2 seconds")
      }),
      Effect.as(undefined),
      Effect.catchAll((error) => Effect.succeed(exitCodeFor(error).message)),
      Effect.catchAllDefect((defect) => Effect.succeed(exitCodeFor(defect).message))
    )
  )
  yield* Effect.addFinalizer(() =>
    Effect.forEach(
      deliveries.left(),
      (job) => screen.say(`${job}: accepted changes are saved but not delivered; the next run delivers them`),
      { discard: true }
    )
  )

  /** A job as its files are now. */
  const present = Effect.fnUntraced(function* (id: string) {
    const batch = yield* loadBatchInput(options)
    return { batch, job: yield* jobIn(batch, id) }
  })

  /** Queues a delivery of cues. */
  const request = Effect.fnUntraced(function* (
    { out, jobs }: Batch,
    id: string,
    cues: ReadonlyArray<number>
  ) {
    const job = jobs.find((one) => one.id === id)
    const sound = job === undefined ? undefined : yield* soundOf(out, job)
    if (sound !== undefined) sounds.watch(id, join(out, id, sound))
    return yield* deliveries.request(id, cues)
  })

  const take = Effect.fnUntraced(function* ({ job: id, cue, change }: Change, edits: ReviewEdits) {
    const { batch, job } = yield* present(id)
    const { take, changes, placed } = yield* Effect.provide(
      makeTake(speechOf(batch), batch, job, yield* planned(batch, job), cue, edits, change === "take"),
      stateOf(batch)
    )
    last = { batch, id, cue, placed }
    yield* memory.hear(id, cue, edits)
    heard.set(`${id}/${cue}`, { edits: JSON.stringify(edits), changes })
    return take
  }, speaking.withPermits(1))

  /** Mixes the programme around the last take, if it was of this cue. */
  const preview = Effect.fnUntraced(function* (id: string, cue: number) {
    if (last?.id !== id || last.cue !== cue) return undefined
    const { batch, placed } = last
    return yield* Effect.provide(previewOf(batch, placed), stateOf(batch))
  })

  /** Saves entries of the overrides file as one change, and queues the delivery of the cues that it concerns. */
  const keep = Effect.fnUntraced(function* (
    batch: Batch,
    id: string,
    cues: ReadonlyArray<number>,
    entries: ReadonlyArray<OverridesEntry>
  ) {
    yield* memory.add(id, yield* saveChanges(batch.manifest, cues, entries))
    for (const cue of cues) heard.delete(`${id}/${cue}`)
    last = undefined
    return yield* request(batch, id, cues)
  })

  const save = Effect.fnUntraced(function* ({ job: id, cue, change }: Change, edits: ReviewEdits) {
    const { batch, job } = yield* present(id)
    if (change === "withdraw")
      return yield* keep(batch, id, [cue], changeEntries(job, changesToWithdraw(job, cue), [cue]))
    const last = heard.get(`${id}/${cue}`)
    const changes =
      last?.edits === JSON.stringify(edits)
        ? last.changes
        : yield* changesFor(speechOf(batch), batch, job, cue, edits).pipe(
            Effect.provide(stateOf(batch)),
            speaking.withPermits(1)
          )
    return yield* keep(batch, id, [cue], changeEntries(job, changesToAccept(job, changes), [cue]))
  }, saving.withPermits(1))

  const shape = Effect.fnUntraced(function* ({ job: id, cue }: { job: string; cue: number }, wanted: Shape) {
    const { batch, job } = yield* present(id)
    const { changes, cues } = yield* shapeChange(batch, job, cue, wanted)
    return yield* keep(batch, id, cues, changeEntries(job, changes, cues))
  }, saving.withPermits(1))

  const voicePrice = Effect.fnUntraced(function* (id: string, voice: SpeakerVoice) {
    const { batch, job } = yield* present(id)
    return (yield* Effect.provide(planVoice(batch, job, voice), [stateOf(batch), speechOf(batch)])).price
  })

  const saveVoice = Effect.fnUntraced(function* (id: string, voice: SpeakerVoice) {
    const { batch, job } = yield* present(id)
    const { entries, cues } = yield* Effect.provide(planVoice(batch, job, voice), [
      stateOf(batch),
      speechOf(batch)
    ])
    return yield* keep(batch, id, cues, entries)
  }, saving.withPermits(1))

  const approve = Effect.fnUntraced(function* (
    id: string,
    { cues = [], job: whole, approved }: ApprovalRequest
  ) {
    const { batch, job } = yield* present(id)
    const report = yield* reportIn(batch.out, job.id)
    if (report === undefined)
      return yield* new ReviewFailed({ words: `job ${id} has no readable report; run the batch first` })
    const at = new Date(yield* Clock.currentTimeMillis).toISOString().replace(/\.\d+Z$/u, "Z")
    const approval = (of: string) => (approved ? { by, at, of } : undefined)
    const entries = [
      ...report.cues
        .filter(({ index }) => cues.includes(index))
        .map((cue): OverridesEntry => ({
          path: ["approved", id, "cues", `${cue.index}`],
          value: approval(cueDigest(cue))
        })),
      ...(whole === true
        ? [{ path: ["approved", id, "job"], value: approval(jobDigest(report)) } satisfies OverridesEntry]
        : [])
    ]
    yield* memory.add(id, yield* saveChanges(batch.manifest, [], entries))
    const after = yield* present(id)
    return { ...standing(id), approvals: shownApprovals(report, after.job.approvals) }
  }, saving.withPermits(1))

  const step = Effect.fnUntraced(function* (id: string, direction: Step) {
    const { batch, job } = yield* present(id)
    const last = memory.last(id, direction)
    if (last === undefined) return yield* new ReviewFailed({ words: `there is no change to ${direction}` })
    yield* moveAcross(batch.manifest, last, direction)
    yield* memory.step(id, direction)
    for (const cue of last.cues) heard.delete(`${id}/${cue}`)
    if (last.cues.length > 0) yield* request(batch, id, last.cues)
    const report = yield* reportIn(batch.out, job.id)
    const after = yield* present(id)
    return {
      ...standing(id),
      ...(report === undefined ? {} : { approvals: shownApprovals(report, after.job.approvals) })
    }
  }, saving.withPermits(1))

  /** The delivery status of a job's changes, and whether there are changes to undo or redo. */
  const standing = (id: string): DeliveryStanding => ({
    ...deliveries.standing(id),
    sounds: sounds.of(id),
    canUndo: memory.last(id, "undo") !== undefined,
    canRedo: memory.last(id, "redo") !== undefined
  })

  return {
    /** Undoes the last change of a job, or redoes the last undone. */
    step,
    approve,
    voicePrice,
    saveVoice,
    /** Splits, joins or moves a cue. */
    shape,
    /** Makes a take, or saves a change and queues its delivery. */
    change: (asked: Change, edits: ReviewEdits) =>
      asked.change === "take" || asked.change === "replay"
        ? Effect.map(
            take(asked, edits),
            (made): Take | Effect.Effect.Success<ReturnType<typeof save>> => made
          )
        : save(asked, edits),
    preview,
    planned,
    standing,
    /** Prepares the speech for an edit, in the background. */
    prepare: (batch: Batch) =>
      Effect.forkIn(
        Effect.zipRight(Effect.ignore(warm(batch)), Effect.ignore(speaking.withPermits(1)(load(batch)))),
        scope
      ),
    /** The takes of a cue that were heard. */
    takesOf: memory.takesOf
  }
})

/**
 * The engines that need no settings, for all takes of a review: to start one takes longer than to speak a line. Their
 * threads begin with the first line, and are closed after a quarter of an hour without one.
 */
const keptEngines = Effect.gen(function* () {
  const { makeEspeakEngine } = yield* Effect.promise(() => import("../../engines/local/EspeakEngine.ts"))
  const { makeFliteEngine } = yield* Effect.promise(() => import("../../engines/local/FliteEngine.ts"))
  return new Map<string, Engine>([
    ["espeak", yield* makeEspeakEngine({ idle: "15 minutes" })],
    ["flite", yield* makeFliteEngine({ idle: "15 minutes", size: 1 })]
  ])
})

/**
 * A state folder has one writer, so a take and a delivery at the same time share it. The service is apart: most
 * deliveries speak nothing, and do not start it. It also locks its data, so only its engines outlive a request.
 */
const makeReviewState = Effect.gen(function* () {
  const states = yield* RcMap.make({
    lookup: (state: string) => Layer.build(Layer.merge(writableStateLayer(state), silent))
  })
  const scope = yield* Effect.scope
  const engines = yield* Effect.cached(Effect.provideService(keptEngines, Scope.Scope, scope))
  const services = yield* RcMap.make({
    lookup: (key: string) => {
      const [state = "", address] = key.split("\n")
      const dataDir = join(state, "service")
      return Layer.build(
        address === undefined
          ? gatewayAt(bundledPlace(dataDir, engines))
          : gatewayTo(readRemote(address), dataDir)
      )
    }
  })
  const loaded = yield* Effect.cachedFunction((state: string) => Effect.scoped(RcMap.get(services, state)))
  return {
    /** Starts the engine of most bundled voices, if the batch uses the bundled service. */
    warm: ({ service }: Batch) =>
      service === "embedded"
        ? Effect.flatMap(engines, (kept) => kept.get("espeak")?.check ?? Effect.void)
        : Effect.void,
    /** Starts and releases a batch's bundled service, once, so that its code is loaded. Not while it is in use. */
    load: ({ state, service }: Batch) => (service === "embedded" ? loaded(state) : Effect.void),
    /** Returns a layer with the state of a batch. */
    stateOf: ({ state }: Batch) => Layer.scopedContext(RcMap.get(states, state)),
    /** Returns a layer with the service of a batch, which starts it when it is built. */
    speechOf: ({ state, service }: Batch) =>
      Layer.scopedContext(
        RcMap.get(services, service === "embedded" ? state : `${state}\n${JSON.stringify(service)}`)
      )
  }
})

/** Reads a remote service from its key in the map. */
const readRemote = Schema.decodeUnknownSync(
  Schema.parseJson(
    Schema.Struct({ baseUrl: Schema.String, dialect: Schema.optionalWith(Dialect, { exact: true }) })
  )
)

interface WatchedSound {
  readonly path: string
  readonly version: string | undefined
  readonly count: number
}

/** Makes the counts of a review, which begin at 0. */
export const makeSoundCounts = () => {
  const sounds = new Map<string, WatchedSound>()
  const seen = (job: string, path: string): WatchedSound => {
    const before = sounds.get(job)
    // Between two renames, there may be no file.
    const version = versionOf(path) ?? before?.version
    const isOther = before !== undefined && (before.version !== version || before.path !== path)
    const now = { path, version, count: (before?.count ?? 0) + (isOther ? 1 : 0) }
    sounds.set(job, now)
    return now
  }
  return {
    /** Begins to count the versions of a job's file. Call it before a delivery. */
    watch: (job: string, path: string): void => void seen(job, path),
    /** How often the job's sound was seen to have changeEntries. */
    of: (job: string): number => {
      const known = sounds.get(job)
      return known === undefined ? 0 : seen(job, known.path).count
    }
  }
}

/** Differs for each version of a file: a delivery puts another file in its place. Links to it do not count. */
const versionOf = (path: string): string | undefined => {
  try {
    const { ino, mtimeNs } = statSync(path, { bigint: true })
    return `${ino} ${mtimeNs}`
  } catch {
    return undefined
  }
}

/**
 * Background delivery of accepted changes: one job at a time. A change is delivered at once; those that a job gets
 * meanwhile are delivered together after it.
 */

interface Entry {
  /** Cues changeEntries since the job's last delivery began. */
  cues: Set<number>
  /** Whether the job is queued. */
  waits: boolean
  standing: DeliveryStanding
}

/**
 * Starts the worker. It ends with the scope, which interrupts a delivery in progress. `deliver` returns why it failed,
 * or undefined; it calls `tell` with the reason for a wait.
 */
export const makeDeliveries = Effect.fnUntraced(function* <R>(
  deliver: (
    job: string,
    cues: ReadonlySet<number>,
    tell: (words: string) => void
  ) => Effect.Effect<string | undefined, never, R>
) {
  const jobs = new Map<string, Entry>()
  const line = yield* Queue.unbounded<readonly [job: string, entry: Entry]>()

  yield* Effect.forkScoped(
    Effect.forever(
      Effect.gen(function* () {
        const [job, entry] = yield* Queue.take(line)
        const { cues } = entry
        const { ended } = entry.standing
        entry.cues = new Set()
        entry.waits = false
        entry.standing = { state: "delivering", ended }
        const error = yield* deliver(job, cues, (words) => {
          entry.standing = { state: "delivering", ended, words }
        })
        // The next delivery includes the cues of a failed one.
        if (error !== undefined) for (const cue of cues) entry.cues.add(cue)
        entry.standing = {
          ...(error === undefined ? {} : { words: error }),
          state: entry.waits ? "delivering" : error === undefined ? "delivered" : "failed",
          ended: ended + 1
        }
      })
    )
  )

  return {
    /** Requests a delivery of a job after a saved change to cues. */
    request: (job: string, cues: ReadonlyArray<number>): Effect.Effect<DeliveryStanding> =>
      Effect.sync(() => {
        const entry = jobs.get(job) ?? {
          cues: new Set(),
          waits: false,
          standing: { state: "delivered", ended: 0 }
        }
        jobs.set(job, entry)
        for (const cue of cues) entry.cues.add(cue)
        entry.standing = { state: "delivering", ended: entry.standing.ended }
        if (!entry.waits) Queue.unsafeOffer(line, [job, entry])
        entry.waits = true
        return entry.standing
      }),
    /** The delivery status of a job. */
    standing: (job: string): DeliveryStanding => jobs.get(job)?.standing ?? { state: "delivered", ended: 0 },
    /** Jobs with undelivered changes. */
    left: (): ReadonlyArray<string> =>
      [...jobs].filter(([, { standing }]) => standing.state !== "delivered").map(([job]) => job)
  }
})
