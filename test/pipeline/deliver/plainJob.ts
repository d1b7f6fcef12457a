/** A job with usual settings, for tests and benchmarks of deliveries. */
import { usualDuck } from "../../../src/domain/manifest/SoundSettings.ts"
import { FitLimits } from "../../../src/domain/speech/Placement.ts"
import { millis } from "../../../src/domain/time/Units.ts"
import { JobId } from "../../../src/domain/values/Ids.ts"
import type { Job } from "../../../src/pipeline/load/Job.ts"

const usualLimits = FitLimits.make({
  maxSpeed: 1.3,
  hardMaxSpeed: 1.6,
  early: millis(300),
  late: millis(500)
})

/** Returns a job with these outputs; `more` replaces settings. */
export const plainJob = (outputs: Job["outputs"], more: Partial<Job> = {}): Job => ({
  id: JobId.make("film"),
  input: "/film.srt",
  inputName: "film.srt",
  voice: {},
  speakers: {},
  nativeInput: "srt",
  unit: "cue",
  onFailure: "fail",
  fit: usualLimits,
  retake: false,
  text: {},
  lexicon: [],
  pauses: {},
  loudness: -16,
  original: "keep",
  duck: usualDuck,
  audio: {},
  tags: {},
  markSynthetic: true,
  verify: false,
  timeline: {},
  outputs,
  ...more
})
