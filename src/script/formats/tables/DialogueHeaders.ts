/** The titles of columns in dialogue lists, in the languages of the larger dubbing countries. */
import type { TimeUnit } from "./CellTime.ts"

/** The contents of columns. */
export const columnRoles = ["start", "end", "duration", "speaker", "text"] as const
export type ColumnRole = (typeof columnRoles)[number]

const list = (titles: string): ReadonlyArray<string> => titles.split(", ")

/** Titles in order of preference. Words in brackets, punctuation and units do not count. */
export const headers: { readonly [role in ColumnRole]: ReadonlyArray<string> } = {
  start: [
    ...list(
      "start, start time, start timecode, start tc, tc start, tc in, tcin, timecode in, time in, in, in time"
    ),
    ...list(
      "in tc, in timecode, in point, begin, begin time, from, timecode, time code, tc, timestamp, time, cue in"
    ),
    ...list("tc entrée, tc début, entrée, début, zeit ein, tc ein, ein, beginn, anfang, start tc, startzeit"),
    ...list("tc entrada, entrada, inicio, tc inicio, início, inizio, tc inizio, entrata, bắt đầu, thời gian"),
    ...list("начало, тайм код, таймкод, 開始, 开始, 開始時間, 开始时间, 시작, 시작 시간, początek, başlangıç")
  ],
  end: [
    ...list(
      "end, end time, end timecode, end tc, tc end, tc out, tcout, timecode out, time out, out, out time"
    ),
    ...list("out tc, out timecode, out point, stop, to, cue out"),
    ...list("tc sortie, tc fin, sortie, fin, zeit aus, tc aus, aus, ende, endzeit"),
    ...list("tc salida, salida, final, tc final, tc saída, saída, fim, fine, tc fine, uscita, kết thúc"),
    ...list("конец, окончание, 終了, 结束, 終了時間, 结束时间, 끝, 종료, koniec, bitiş")
  ],
  duration: list("duration, dur, length, durée, dauer, länge, duración, duração, durata, thời lượng"),
  speaker: [
    ...list("speaker, character, character name, role, actor, name, who, voice, cast, talent, source"),
    ...list("personnage, locuteur, rolle, figur, sprecher, personaje, personagem, personaggio, nhân vật"),
    ...list("персонаж, роль, герой, 役名, 役, 角色, 人物, 인물, 등장인물, postać, karakter")
  ],
  text: [
    ...list(
      "dub, dubbed text, dub dialogue, adaptation, translation, translated text, target, target text, text"
    ),
    ...list(
      "dialogue, dialog, line, lines, subtitle, subtitles, caption, transcript, transcription, script, speech"
    ),
    ...list("words, content"),
    ...list(
      "traduction, réplique, dialogues, texte, übersetzung, replik, untertitel, traducción, diálogo, texto"
    ),
    ...list("tradução, fala, traduzione, battuta, dialogo, testo, bản dịch, lời thoại, nội dung, thoại"),
    ...list(
      "перевод, реплика, текст, 翻訳, 台詞, セリフ, 译文, 台词, 对白, 번역, 대사, tłumaczenie, tekst, diyalog"
    ),
    ...list("original, source text, english")
  ]
}

const unit = /\s(?:ms|msec|msecs|milliseconds?|s|sec|secs|seconds?|frames?|hh mm ss(?: ff| ms)?)$/u

/** A title in the form of {@link headers}. */
export const plainHeader = (header: string): string =>
  header
    .normalize("NFC")
    .toLowerCase()
    .replace(/\([^()]*\)/gu, " ")
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim()
    .replace(unit, "")

/** What plain numbers below a title count; undefined if it does not say. */
export const unitOf = (header: string): TimeUnit | undefined => {
  const words = header.toLowerCase().split(/[^\p{L}]+/u)
  if (words.some((word) => /^(?:ms|msecs?|millis|milliseconds?)$/u.test(word))) return "milliseconds"
  return words.some((word) => /^frames?$/u.test(word)) ? "frames" : undefined
}
