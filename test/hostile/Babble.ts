/** Speech-like audio, always the same for the same text: syllables of a buzz, with gaps between words. */
import { encodeWav16 } from "../../src/audio/formats/Wav.ts"
import { SampleRate } from "../../src/domain/time/Units.ts"
import { chance } from "./Chance.ts"

const rate = SampleRate.make(24_000)

/** Milliseconds of audio per letter. */
export const millisPerLetter = 60

/** Returns a WAV file that speaks a text. */
export const babble = (text: string): Uint8Array => {
  const random = chance(Array.from(text).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, 7))
  const letter = (rate * millisPerLetter) / 1000
  const lead = rate / 10
  const samples = new Float32Array(Math.round(lead * 2 + text.length * letter))
  let phase = 0
  for (const [place, sign] of Array.from(text).entries()) {
    const pitch = 110 + random() * 60
    const loud = /\p{L}|\p{N}/u.test(sign) ? 0.15 + random() * 0.2 : 0
    for (let i = 0; i < letter; i++) {
      phase = (phase + pitch / rate) % 1
      const shape = Math.sin((Math.PI * i) / letter)
      samples[Math.round(lead + place * letter) + i] = loud * shape * (phase * 2 - 1)
    }
  }
  return encodeWav16({ rate, samples })
}

/** Returns a silent WAV file of the same length. */
export const silence = (text: string): Uint8Array =>
  encodeWav16({ rate, samples: new Float32Array(Math.round((text.length * millisPerLetter * rate) / 1000)) })
