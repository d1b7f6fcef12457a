/** The review server: the report pages with an edit box, and what the box asks for. */
import { randomBytes } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { Path } from "@effect/platform"
import { Cause, Effect, Either, Layer, Runtime } from "effect"
import { builtParts } from "../pages/BuiltParts.ts"
import { troublePage } from "../pages/TroublePage.ts"
import type { Batch, Job } from "../pipeline/Job.ts"
import { silent } from "../pipeline/Progress.ts"
import { acceptTake, cueSheet, takeOf, withdraw } from "../pipeline/Review.ts"
import { ReviewFailed } from "../pipeline/ReviewFailed.ts"
import { reviewedBatch, reviewedJob, rewriteBatch, soundOf } from "../pipeline/ReviewPages.ts"
import { wishesIn } from "../pipeline/ReviewWishes.ts"
import { listen } from "../service/Listener.ts"
import { type BatchOptions, batchOf } from "./BatchFlags.ts"
import { gatewayTo } from "./Connect.ts"
import { endedBy } from "./Ended.ts"
import { sendAway, sendFile, sendJson, sendPage } from "./ReviewAnswers.ts"
import { type Admitted, admitted, type Gate } from "./ReviewGate.ts"
import { writing } from "./State.ts"

/** Serves on loopback until the scope closes; returns the address to open, with the token that admits to it. */
export const serveReview = Effect.fn("ReviewServer.serve")(function* (options: BatchOptions, port: number) {
  const token = randomBytes(24).toString("base64url")
  const turn = yield* Effect.makeSemaphore(1)
  const answering = (asked: Admitted, request: IncomingMessage, response: ServerResponse) => {
    const answer = answered(options, asked, request, response)
    // What one request changes, the next must find: it reads the batch when its turn has come.
    return asked.path[1] === "cues" ? turn.withPermits(1)(answer) : answer
  }
  const runtime = yield* Effect.runtime<Effect.Effect.Context<ReturnType<typeof answering>>>()
  let gate: Gate = { origin: "http://127.0.0.1", token }
  const { address } = yield* listen(
    (request, response) => {
      const { method = "", url = "", headers } = request
      Either.match(admitted({ method, url, headers }, gate), {
        onLeft: ({ status, error }) => sendJson(response, status, { error }),
        onRight: (asked) => Runtime.runFork(runtime)(answering(asked, request, response))
      })
    },
    { host: "127.0.0.1", port, connections: 64, requestSeconds: 30 }
  )
  gate = { origin: address, token }
  return `${address}/${token}/`
})

/** Answers one request; whatever fails is told in words. The batch is read anew each time, as its files may have changed. */
const answered = Effect.fnUntraced(
  function* (
    options: BatchOptions,
    { method, path: pieces }: Admitted,
    request: IncomingMessage,
    response: ServerResponse
  ) {
    const [first = "", file = "", cue = "", what = "", ...more] = pieces
    const batch = yield* batchOf(options)
    if (file === "" && (first === "" || first === "index.html")) {
      return first === "" ? sendAway(response, "index.html") : sendPage(response, yield* reviewedBatch(batch))
    }
    const job = batch.jobs.find(({ id }) => id === first)
    if (job === undefined || more.length > 0) return sendJson(response, 404, { error: "no such page" })
    if (file === "report.html" && cue === "") return sendPage(response, yield* reviewedJob(batch, job))
    if (file === "cues" && /^\d{1,9}$/u.test(cue)) {
      const reply =
        method === "POST" ? workOf(batch, job, Number(cue), what, request) : cueSheet(batch, job, Number(cue))
      return sendJson(response, 200, yield* reply)
    }
    const { join } = yield* Path.Path
    const sound = yield* soundOf(batch.out, job)
    if (sound === undefined || file !== sound || cue !== "")
      return sendJson(response, 404, { error: "no such page" })
    yield* Effect.promise(() =>
      sendFile(response, join(batch.out, job.id, sound), request.headers.range, method === "HEAD")
    )
  },
  (effect, _options, asked, request, response) =>
    Effect.catchAllCause(effect, (cause) =>
      Effect.sync(() => {
        const error = endedBy(Cause.squash(cause)).message
        if (response.headersSent) response.destroy()
        else if (readsPages(request)) {
          const home = asked.path.length > 1 ? "../index.html" : undefined
          sendPage(response, troublePage(error, home, builtParts.batch), 422)
        } else sendJson(response, 422, { error })
      })
    )
)

/** Whether somebody looks at the answer in a browser. */
const readsPages = ({ headers }: IncomingMessage): boolean => headers.accept?.includes("text/html") === true

/** What the edit box asks for; the state and the service are held no longer than it takes, so that runs are not kept out. */
const workOf = Effect.fnUntraced(function* (
  batch: Batch,
  job: Job,
  cue: number,
  what: string,
  request: IncomingMessage
) {
  const { join } = yield* Path.Path
  const body = yield* bodyOf(request)
  const held = Layer.mergeAll(
    writing(batch.state),
    silent,
    gatewayTo(batch.service, join(batch.state, "service"))
  )
  if (what === "withdraw") {
    yield* Effect.provide(withdraw(batch, job, cue), held)
    yield* rewriteBatch(batch, job)
    return {}
  }
  const parts = yield* wishesIn(body)
  switch (what) {
    case "take":
      return yield* Effect.provide(takeOf(batch, job, cue, parts), held)
    case "accept":
      yield* Effect.provide(acceptTake(batch, job, cue, parts), held)
      yield* rewriteBatch(batch, job)
      return {}
    default:
      return yield* new ReviewFailed({ words: "expected take, accept or withdraw" })
  }
})

/** The most bytes that the page sends. */
const mostBytes = 256_000

const bodyOf = (request: IncomingMessage): Effect.Effect<string, ReviewFailed> =>
  Effect.tryPromise({
    try: async () => {
      const chunks: Array<Uint8Array> = []
      let bytes = 0
      for await (const chunk of request) {
        const piece = Buffer.from(chunk)
        bytes += piece.length
        if (bytes > mostBytes) throw new Error(`more than ${mostBytes} bytes`)
        chunks.push(piece)
      }
      return Buffer.concat(chunks).toString("utf8")
    },
    catch: (cause) => new ReviewFailed({ words: `the request cannot be read: ${String(cause)}` })
  })
