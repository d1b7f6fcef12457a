/**
 * Vitest configuration of `npm test`: about 5 minutes on two cores. What needs a browser, a package, another program
 * of the system, or more than about 15 s is left to `npm run test:all`.
 */
import { configDefaults, defineConfig, mergeConfig } from "vitest/config"
import all from "../vitest.config.ts"

const rooms = [
  "**/*.browser",
  "containers/**/*",
  "docs/*",
  "engines/voices/*",
  "hostile/attacks/*",
  "package/*",
  "service/clients/*",
  "service/replicas/*",
  "**/S3*",
  "**/*Corpus"
]

const files = [
  "answers/Probe",
  "app/BadInput",
  "app/Command",
  "app/DeliveryCheck",
  "app/LostLine",
  "app/Nightly",
  "app/NoSqlite",
  "app/OpenQuestions",
  "app/Review",
  "app/Run",
  "app/Verified",
  "app/batch/DeliveryRun",
  "app/batch/Separation",
  "app/layers/Traces",
  "app/lists/Lists",
  "app/startup/FilmAlone",
  "app/startup/FirstRun",
  "app/startup/NoEspeak",
  "app/voices/VoicesCommand",
  "app/watch/Watch",
  "audio/kernels/Kernels",
  "audio/level/ClipLoudness",
  "conformance/Conformance",
  "engines/cloud/FirstFilm",
  "engines/local/EspeakEngine",
  "engines/local/FliteEngine",
  "engines/local/WorkerPool",
  "engines/neural/NeuralFilm",
  "ffmpeg/SyntheticMark",
  "ffmpeg/decode/Decoder",
  "ffmpeg/decode/Mp3Samples",
  "ffmpeg/encode/Encoder",
  "ffmpeg/mux/EvenSound",
  "ffmpeg/mux/LongerFilm",
  "ffmpeg/mux/Muxer",
  "ffmpeg/probe/Prober",
  "fleet/Fleet",
  "fleet/RemoteFleet",
  "fleet/coordinator/Dispatch",
  "fleet/shared/Share",
  "gateway/Anything",
  "hostile/Absent",
  "hostile/Chaos",
  "hostile/Disk",
  "hostile/Money",
  "hostile/Morning",
  "hostile/Signals",
  "hostile/Speak",
  "library/Library",
  "library/StatedRules",
  "pipeline/clips/ClipAligner",
  "pipeline/clips/ClipStorage",
  "pipeline/deliver/Background",
  "pipeline/deliver/MixReuse",
  "pipeline/deliver/OutputWriter",
  "pipeline/mix/ProgrammeRenderer",
  "pipeline/run/Listening",
  "pipeline/sync/SubtitleSync",
  "service/Crash",
  "service/Http",
  "service/Idempotency",
  "service/Lifecycle",
  "service/Push",
  "service/Random",
  "service/Unwritable",
  "service/Webhooks",
  "service/accounts/KeyLimits",
  "service/requests/LostResponses",
  "service/storage/Backup"
]

export default mergeConfig(
  all,
  defineConfig({
    test: {
      exclude: [...configDefaults.exclude, ...[...rooms, ...files].map((name) => `test/${name}.test.ts`)]
    }
  })
)
