/**
 * Vitest configuration of `npm test`: at most 6 minutes on two cores. What needs a browser, a package, another program
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
  "service/replicas/*",
  "**/S3*",
  "**/*Corpus"
]

const files = [
  "answers/Probe",
  "app/BadInput",
  "app/DeliveryCheck",
  "app/Review",
  "app/Run",
  "app/layers/Traces",
  "app/startup/FilmAlone",
  "app/voices/VoicesCommand",
  "app/watch/Watch",
  "conformance/Conformance",
  "engines/local/EspeakEngine",
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
  "hostile/Chaos",
  "hostile/Disk",
  "hostile/Speak",
  "library/Library",
  "pipeline/deliver/Background",
  "pipeline/deliver/MixReuse",
  "pipeline/deliver/OutputWriter",
  "pipeline/sync/SubtitleSync",
  "service/Crash",
  "service/Http",
  "service/Lifecycle",
  "service/Random",
  "service/Webhooks",
  "service/clients/OpenAi"
]

export default mergeConfig(
  all,
  defineConfig({
    test: {
      exclude: [...configDefaults.exclude, ...[...rooms, ...files].map((name) => `test/${name}.test.ts`)]
    }
  })
)
