/** Word lists that recognize sounds, speaker roles and announcements in captions, in the most common languages. */

const english =
  "laugh chuckle giggle snicker sigh gasp cough sneeze sniff sniffle sob weep groan grunt moan mutter mumble murmur whisper shout yell scream shriek roar bark growl howl squeal squawk chirp buzz beep clang bang thud thump crash click clatter creak knock pound slam tick clap cheer whistle hum whoosh swoosh swish rustle splash exhale inhale pant stammer stutter gulp snore yawn hiss rumble toot whimper chortle cackle scoff clink rattle squeak screech blare chime honk ring play pop blast swallow kiss"

/** English verbs in the forms used in captions ("laughs", "laughing"). The bare verb may be an ordinary word. */
const bareVerbs = new Set(english.split(" "))
const verbs = english
  .split(" ")
  .flatMap((verb) => [
    `${verb}s`,
    `${verb}es`,
    `${verb}ing`,
    verb.endsWith("e") ? `${verb.slice(0, -1)}ing` : `${verb}${verb.at(-1) ?? ""}ing`
  ])

const nouns =
  "laughter applause music gunshot gunfire explosion siren sirens footsteps inaudible unintelligible indistinct crosstalk chatter static silence noise noises sounds sigh sighs whooshing instrumental thunder barking cheering crying cries singing sings shouting screaming ominous"

const others =
  // Vietnamese, Spanish, Portuguese, French, Italian, German, Dutch, Polish, Swedish, Turkish
  "nhạc cười vỗ tiếng música risas risa aplausos suspira suspiro grita gritos tose risos riso musique rires rire applaudissements soupir soupire tousse toux musica risate applausi sospira tossisce schiarisce musik gelächter lachen lacht applaus seufzt hustet husten gelach muziek muzyka śmiech śmieje oklaski wzdycha kaszle skratt suckar müzik gülüşme alkış " +
  // Russian, Ukrainian, Greek, Hebrew, Arabic, Persian, Hindi
  "музыка смех смеется смеётся аплодисменты вздыхает вздох кашляет кашель музика сміх μουσική γέλια χειροκρότημα מוזיקה צחוק כפיים موسيقى ضحك تصفيق موسیقی خنده संगीत हँसी तालियाँ"

const known = new Set([...verbs, ...nouns.split(" "), ...others.split(" ")])

/** Chinese, Japanese, Korean and Thai: matched anywhere, since most have no spaces between words. */
const unspacedSounds =
  /音乐|音樂|音楽|笑|掌声|掌聲|拍手|叹气|嘆氣|咳|哭|尖叫|呼啸|爆炸声|음악|웃음|박수|한숨|ดนตรี|เสียง|หัวเราะ|ปรบมือ/u

/** Whether a short caption names a sound, by a word for a sound, or for an action of people ("both laugh"). */
export const namesSound = (caption: string): boolean =>
  unspacedSounds.test(caption) ||
  (namesRole(caption) && bareVerbs.has(/\s(\p{L}+)$/u.exec(caption.toLowerCase())?.[1] ?? "")) ||
  (caption.toLowerCase().match(/[\p{L}\p{M}'’]+/gu) ?? []).some((word) => known.has(word)) ||
  /\b(?:clears?|clearing) throat\b/iu.test(caption)

/** Sounds and gestures named by the bare word: "click", "contactor thud". */
const bareSounds = new Set([
  ...bareVerbs,
  ..."ding dong bam boom whack clack boing tap snap plop slap splat zap pow whirr whir vroom meow woof ahem hiccup burp sizzle clunk clank ping wham pew nod nods shrug shrugs smile smiles grin grins wink winks bows waves hugs faints".split(
    " "
  )
])

/** Whether one or two words, separate from all speech, are such a sound. */
export const isBareSound = (caption: string): boolean =>
  bareSounds.has(/^(?:\p{L}+ )?(\p{L}+)$/u.exec(caption.toLowerCase())?.[1] ?? "")

/** Words that name a speaker by role or kind; they are labels without further proof. */
const roles = new Set(
  "man woman boy girl child kid children men women guy lady narrator announcer voice voiceover reporter host hostess interviewer interviewee instructor teacher professor student students doctor nurse officer guard soldier captain sergeant radio tv operator dispatcher crowd all both everyone others audience actor actress speaker translator interpreter moderator presenter mother father mom dad grandmother grandfather waiter waitress clerk driver customer cop policeman judge lawyer nam nữ narrador narradora narrateur narratrice erzähler sprecher sprecherin hombre mujer homme femme mann frau uomo donna мужчина женщина диктор голос adam kadın الرجل المرأة الراوي גבר אישה קריין आदमी औरत ชาย หญิง 男 女 男人 女人 男声 女声 男聲 女聲 众人 旁白 画外音 ナレーション ナレーター 남자 여자 내레이션".split(
    " "
  )
)

/** Whether a label begins with such a word ("2ND MAN", "Old Woman") or is a transcriber's `SPEAKER_01`. */
export const namesRole = (label: string): boolean =>
  /^(?:speaker|spk|s|người nói|sprecher|locuteur|hablante)[ _-]?\d+$/iu.test(label) ||
  roles.has(
    /^(?:(?:\d+(?:st|nd|rd|th)|young|old|older|younger|elderly|little|female|male|unidentified) )?([\p{L}\p{M}]+)/u.exec(
      label.toLowerCase()
    )?.[1] ?? ""
  )

/** Whether a label names several people with a word that may also begin a sentence ("All of them"). */
export const namesMany = (label: string): boolean => /^(?:all|both|everyone|others)$/iu.test(label)

/** Words before a colon that begin a sentence and are not a speaker's name. */
const announcements = new Set(
  "note notes nb warning caution attention important tip tips hint remember reminder disclaimer update updates news summary conclusion question questions answer answers q a example examples result results problem solution fact facts step steps part chapter episode section lesson scene act season volume number no first second third fourth fifth finally firstly secondly lastly next then now today tomorrow yesterday source sources credits music lyrics subtitles captions translation translated title subject date time location place address phone email website web url http https ps pps p.s re fwd cc total price cost pros cons advantage advantages definition theorem proof spoiler trailer fun bonus plus also so but and or yes no ok okay well look listen see meaning namely thus hence therefore however because message quote caption sign text narrated written directed produced nota aviso advertencia atención ejemplo pregunta respuesta parte capítulo episodio lección importante música remarque attention exemple question réponse partie chapitre épisode leçon hinweis achtung warnung beispiel frage antwort teil kapitel folge lektion musik opmerking waarschuwing voorbeeld vraag antwoord deel hoofdstuk uwaga przykład pytanie odpowiedź część rozdział odcinek muzyka zdjęcia примечание внимание пример вопрос ответ часть глава серия эпизод музыка chú lưu cảnh ví câu phần chương tập bài ghi".split(
    " "
  )
)

/** Whether the text before a colon is such an announcement: "Note", "Part 2", "Chú ý". */
export const announces = (label: string): boolean =>
  announcements.has((label.toLowerCase().match(/^[\p{L}\p{M}.]+/u) ?? [""])[0].replace(/\.$/u, ""))
