/** Backgrounds of the benchmark's films, made by arithmetic at 16 kHz. Each repeats after about two minutes. */
import { randomOf } from "./random.ts"

export const backgroundNames = ["music", "noise", "applause", "room"] as const
export type BackgroundName = (typeof backgroundNames)[number]

const rate = 16_000
const seconds = 113

const made = new Map<string, Float32Array>()

/** Returns a background; its level is not adjusted. */
export const background = (name: BackgroundName, seed: number): Float32Array => {
  const key = `${name} ${seed}`
  const known = made.get(key)
  if (known !== undefined) return known
  const sound = makers[name](randomOf(seed * 7 + 1), new Float32Array(seconds * rate))
  made.clear()
  made.set(key, sound)
  return sound
}

type Maker = (random: () => number, sound: Float32Array) => Float32Array

/** Chords, a melody and drums. */
const music: Maker = (random, sound) => {
  const beat = Math.round((60 / (80 + 50 * random())) * rate)
  const scale = [0, 2, 4, 5, 7, 9, 11]
  const root = 48 + Math.floor(random() * 10)
  const note = (from: number, length: number, key: number, level: number, fade: number) => {
    const step = (2 * Math.PI * 440 * 2 ** ((key - 69) / 12)) / rate
    for (let k = 0; k < length && from + k < sound.length; k++) {
      const shape = Math.min(1, k / 200) * Math.exp((-fade * k) / rate) * Math.min(1, (length - k) / 400)
      const phase = step * k
      sound[from + k]! +=
        level *
        shape *
        (Math.sin(phase) +
          0.5 * Math.sin(2 * phase) +
          0.25 * Math.sin(3 * phase) +
          0.12 * Math.sin(5 * phase))
    }
  }
  for (let bar = 0; bar * 4 * beat < sound.length; bar++) {
    const degree = [0, 5, 3, 4][bar % 4] ?? 0
    for (const third of [0, 2, 4]) {
      const key = root + (scale[(degree + third) % 7] ?? 0)
      note(bar * 4 * beat, 4 * beat, key, 0.2, 0.2)
    }
    for (let eighth = 0; eighth < 8; eighth++) {
      const from = Math.round((bar * 4 + eighth / 2) * beat)
      if (random() < 0.6) note(from, beat, root + 12 + (scale[Math.floor(random() * 7)] ?? 0), 0.35, 3)
      const loud = eighth % 4 === 2 ? 0.5 : 0.15
      for (let k = 0; k < 1600 && from + k < sound.length; k++)
        sound[from + k]! += loud * Math.exp(-k / 300) * (2 * random() - 1)
    }
  }
  return sound
}

/** A street: noise that falls with frequency and swells slowly. */
const noise: Maker = (random, sound) => {
  const states = [0, 0, 0]
  let swell = 1
  let aim = 1
  for (let k = 0; k < sound.length; k++) {
    if (k % (rate * 2) === 0) aim = 0.4 + random()
    swell += (aim - swell) / rate
    const white = 2 * random() - 1
    states[0] = 0.997 * states[0]! + 0.03 * white
    states[1] = 0.96 * states[1]! + 0.1 * white
    states[2] = 0.57 * states[2]! + 0.3 * white
    sound[k] = swell * (states[0]! + states[1]! + states[2]! + 0.1 * white)
  }
  return sound
}

/** Many hands, which swell and fade; between them, hardly anything. */
const applause: Maker = (random, sound) => {
  for (let k = 0; k < sound.length; k++) {
    const swell = Math.max(0.03, Math.sin((k / rate) * 0.45) ** 3 + 0.3)
    if (random() >= (220 * swell) / rate) continue
    const level = 0.2 + random()
    const fade = 40 + 120 * random()
    for (let i = 0; i < 600 && k + i < sound.length; i++)
      sound[k + i]! += level * Math.exp(-i / fade) * (2 * random() - 1)
  }
  return sound
}

/** A room: mains hum, dark noise, and steps now and then. */
const room: Maker = (random, sound) => {
  let dark = 0
  for (let k = 0; k < sound.length; k++) {
    dark = 0.985 * dark + 0.05 * (2 * random() - 1)
    const hum = Math.sin((2 * Math.PI * 50 * k) / rate) + 0.4 * Math.sin((2 * Math.PI * 150 * k) / rate)
    sound[k]! += dark + 0.05 * hum + 0.01 * (2 * random() - 1)
    if (random() < 0.3 / rate)
      for (let i = 0; i < 2400 && k + i < sound.length; i++)
        sound[k + i]! += 0.8 * Math.exp(-i / 500) * Math.sin((2 * Math.PI * 90 * i) / rate)
  }
  return sound
}

const makers: Readonly<Record<BackgroundName, Maker>> = { music, noise, applause, room }
