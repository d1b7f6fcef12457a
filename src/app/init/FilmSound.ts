/** The film's own sound under the new voices, as `init --sound` names it. */
export const filmSounds = ["voices", "voice-over", "music-and-effects"] as const
export type FilmSound = (typeof filmSounds)[number]
