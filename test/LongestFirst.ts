/** Vitest sequencer: starts the longest files first, so that no core is idle at the end while one of them runs. */
import { relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Files that take 15 s or more, the longest first. Those that mostly wait stand between those that compute. */
const longest = [
  "fleet/Fleet",
  "pages/Report.browser",
  "hostile/Speak",
  "simulation/Simulation",
  "app/Run",
  "package/Contents",
  "pipeline/speak/SpeakStage",
  "answers/Fuzz",
  "service/replicas/Replicas",
  "pages/ReviewEdit.browser",
  "pages/ReviewDecisions.browser",
  "pages/Review.browser",
  "pages/LongReview.browser",
  "ffmpeg/mux/Muxer",
  "docs/Docs",
  "hostile/Chaos",
  "pipeline/deliver/MixReuse",
  "fleet/RemoteFleet",
  "app/batch/S3Batch",
  "docs/LibraryPage",
  "hostile/Idempotency",
  "app/Review",
  "service/Random",
  "app/voices/VoicesCommand",
  "app/Command",
  "service/Lifecycle",
  "hostile/attacks/Secrets",
  "pages/JobFilm.browser",
  "pipeline/Dub",
  "app/watch/Watch",
  "net/Net",
  "ffmpeg/decode/Decoder",
  "gateway/Gateway",
  "engines/local/EspeakEngine",
  "library/Library",
  "hostile/Signals",
  "ffmpeg/encode/Encoder",
  "ffmpeg/decode/Mp3Samples",
  "app/BadInput"
].map((name) => `test/${name}.test.ts`)

export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = longest.indexOf(relative(process.cwd(), moduleId).replaceAll("\\", "/"))
      return at === -1 ? longest.length : at
    }
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other))
  }
}
