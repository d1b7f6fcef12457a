/**
 * Detects sounds that broadcasters write in capitals without brackets: `APPLAUSE`, `DOOR SLAMS`, `SHE SIGHS`. Capitals
 * may also be a shout, a title or a sign. So a line must have the form of such a caption, in a file that otherwise uses
 * lower case.
 */
import { isCapitals } from "../language/WritingSystems.ts"
import { namesRole } from "../language/SoundWords.ts"

/** Verbs of sounds; used bare, in the third person and as participles. */
const verbs =
  "applaud bang bark beep bellow belch blare blast bleat bleep blow boo boom bray breathe burp buzz cackle chant chatter cheer chime chink chirp chirrup chortle chuckle clack clang clank clap clatter click clink cluck clunk cough crack crackle crash creak croak croon crow crunch cry drip drone drum echo exclaim exhale explode fart fire fizz flush flutter gabble gallop gargle gasp giggle grind groan growl grumble grunt gulp gurgle hammer heckle hiccup hiss honk hoot howl hum hush inhale jangle jeer jingle kiss knock laugh mewl meow miaow moan moo mumble murmur mutter neigh pant patter peal ping play pop pound purr quack rap rasp rattle retch rev ring rip roar rumble rustle scoff scrape scream screech shatter shout shriek shuffle shush sigh sing siren sizzle skid slam slap slurp smash snap snarl sneer sneeze snicker snigger sniff sniffle snore snort sob splash splutter sputter squawk squeak squeal squelch stammer stomp strum stutter swear swish swoosh tap thud thump thunder tick tinkle titter toll toot trill trumpet tut tweet twitter vibrate vomit wail warble weep wheeze whimper whine whinny whir whirr whisper whistle whoop whoosh yap yawn yell yelp yodel".split(
    " "
  )

const thirdPerson = (verb: string): string =>
  /[^aeiou]y$/u.test(verb)
    ? `${verb.slice(0, -1)}ies`
    : /(?:s|sh|ch|x|z)$/u.test(verb)
      ? `${verb}es`
      : `${verb}s`
const participle = (verb: string): ReadonlyArray<string> => [
  `${verb}ing`,
  verb.endsWith("e") ? `${verb.slice(0, -1)}ing` : `${verb}${verb.at(-1) ?? ""}ing`
]

const bare = new Set(verbs)
const heard = new Set(verbs.map(thirdPerson))
const sounding = new Set(verbs.flatMap(participle))

/** Nouns for sounds, in the languages of `SoundWords.ts`. */
const nouns = new Set(
  "applause laughter music gunshot gunshots gunfire explosion explosions siren sirens footsteps chatter crosstalk commotion static thunder fanfare birdsong hubbub clamour clamor uproar laughs sighs screams shouts sobs whistles boos jeers groans gasps murmurs chimes gong klaxon whoosh thud bang crash creak splash beep buzzer heartbeat ringtone feedback applaus gelächter musik schreie schüsse donner aplausos risas música gritos risos palmas applaudissements rires musique cris coups applausi risate musica applåder skratt smiech śmiech oklaski muzyka gelach applaus muziek alkış müzik аплодисменты смех музыка".split(
    " "
  )
)

/** Verbs for the course of a sound: "MUSIC STOPS", "APPLAUSE CONTINUES". */
const goesOn =
  /^(?:starts|stops|begins|ends|continues|resumes|intensifies|builds|swells|fades|dies|grows|subsides|approaches|recedes|drowns|echoes|reverberates|passes|increases|decreases|gets|becomes|turns|over|in|on|from|off|outside|inside|nearby|ceases|persists|halts|slows|quickens|diminishes|repeats|changes|stopped|continuing|fading|playing)$/u

/** Verbs for the movement of things; they count only after a thing: "DOOR OPENS", never "ANNA OPENS". */
const thingMoves =
  /^(?:opens|closes|shuts|locks|unlocks|starts|stops|revs|idles|approaches|departs|passes|stalls)$/u
const things =
  /^(?:door|doors|gate|window|drawer|lid|lock|car|van|lorry|truck|bus|train|tram|plane|aircraft|helicopter|engine|motor|motorbike|motorcycle|lift|elevator|curtain|tape|machine|footsteps|siren|sirens)$/u

const many =
  /^(?:they|all|both|people|children|men|women|crowd|audience|everyone|kids|girls|boys|guests|fans|spectators|others)$/u

/** Words that occur only in speech and titles. Captions of sounds have no articles, and address nobody. */
const ofSpeech =
  /^(?:the|a|an|of|my|your|our|you|i|i'm|i’m|we|me|us|is|are|was|were|am|be|been|not|don't|don’t|no|yes|please|who|what|why|when|how|where|this|that|these|those|let|let's|let’s|go|stop|come|will|can|if|but|so|do|did)$/u

/** Whether a few words in capitals have the form of a sound caption. */
export const isCapitalSound = (written: string): boolean => {
  if (!isCapitals(written) || /[!?:;"“”„«»\d_@#/]|\.\s*$|\.\.\.|…/u.test(written)) return false
  const words = written
    .toLowerCase()
    .replace(/[,.]/gu, " ")
    .split(/\s+/u)
    .filter((word) => /\p{L}/u.test(word))
  const [first = "", second] = words
  if (words.length === 0 || words.length > 8) return false
  const isSound = (word: string): boolean => nouns.has(word) || sounding.has(word)
  if (second === undefined) return isSound(first) || (heard.has(first) && !bareNoun.has(first))
  if (/^(?:he|she|they|both|all) (?:clears?|clearing) (?:his|her|their) throats?$/u.test(words.join(" ")))
    return true
  const speech = words.findIndex((word) => ofSpeech.test(word))
  const verb = words.findIndex((word, i) => i > 0 && heard.has(word))
  // Words after the verb may include articles: "KNOCKS ON THE DOOR".
  if (verb > 0 && (speech < 0 || speech > verb) && !bareNounEnds(words, verb)) return true
  if (speech >= 0) return false
  if (
    (many.test(first) || namesRole(first) || /[^s]s$/u.test(first)) &&
    bare.has(second) &&
    words.length <= 4
  )
    return true
  if (isSound(first) && goesOn.test(second)) return true
  if (things.test(first) && thingMoves.test(second)) return true
  if (first === "knock" || first === "knocking") return /^(?:on|at)$/u.test(second)
  return (
    words.length <= 5 &&
    isSound(words.at(-1) ?? "") &&
    !words.some((word) => /^(?:in|on|at|to|for|with|by)$/u.test(word))
  )
}

/** Third-person forms that are at least as often another word. */
const bareNoun = new Set(
  "plays rings fires drums raps taps rips blows breathes echoes crows cracks pops drips cheers kisses swears".split(
    " "
  )
)

/** Whether such a word ends a title ("SEVEN RINGS"). After a pronoun or a sounding thing it is a verb. */
const bareNounEnds = (words: ReadonlyArray<string>, verb: number): boolean =>
  verb === words.length - 1 &&
  bareNoun.has(words[verb] ?? "") &&
  !/^(?:he|she|it|phone|telephone|mobile|bell|bells|doorbell|alarm|music|song|tune|band|orchestra|organ|piano|guitar|radio|anthem|theme|horn|whistle|gun|pistol|rifle|wind|voice|fanfare|recording|jingle|ringtone|melody|trumpet|violin)$/u.test(
    words[verb - 1] ?? ""
  )

/** `MUSIC: "Heroes" by David Bowie`: the BBC's form for music that is played. */
const namedMusic = /^[ \t]*(?:[A-Z]+ )?(?:MUSIC|SONG|THEME TUNE)(?: PLAYS)?:[ \t]*\S/u

/** A sound in a line: the whole line, or a part before or after words. */
interface Found {
  readonly kind: "line" | "part"
  readonly marked: string
}

const marked = (sound: string): string => `{${sound}}`

/** A sentence followed by capitals up to the end of the line. */
const behind = /^(.*\p{Ll}.*[.!?…]["”’]?\s+)([\p{Lu}][\p{Lu}\s,'’-]+)$/u

const soundIn = (line: string): Found | undefined => {
  const bareLine = line.replace(/^\s*[-\u2010-\u2015]\s*/u, "").trim()
  if (isCapitalSound(bareLine)) return { kind: "line", marked: line.replace(bareLine, marked) }
  const [, before = "", last = ""] = behind.exec(line) ?? []
  if (isCapitalSound(last)) return { kind: "part", marked: before + marked(last) }
  const lead = /^(\s*(?:[-\u2010-\u2015]\s*)?)((?:\p{Lu}[\p{Lu}'’-]*[ ,]+)+)(?=.*\p{Ll})/u.exec(line)
  const words = (lead?.[2] ?? "").trim().split(/\s+/u)
  // "SHE SIGHS I don't know": the sentence may begin with a single capital, so try fewer and fewer words.
  for (let count = words.length; count > 1 || (count === 1 && words.length === 1); count--) {
    const sound = words.slice(0, count).join(" ")
    const at = line.indexOf(sound)
    const rest = line.slice(at + sound.length)
    if (isCapitalSound(sound) && /^\s+["“'‘¿¡]?\p{Lu}/u.test(rest))
      return { kind: "part", marked: `${line.slice(0, at)}${marked(sound)}${rest}` }
  }
  return undefined
}

/**
 * Puts such sounds in braces, so that they are handled like bracketed sounds. Does nothing unless the rest of the file
 * uses lower case. A single sound may be chance: it counts only if the file has at most two other lines in capitals.
 */
export const withCapitalSounds = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (!texts.some((text) => /\p{Lu}{3}/u.test(text))) return texts
  let sounds = 0
  let capitals = 0
  let mixed = 0
  for (const line of texts.flatMap((text) => text.split("\n"))) {
    if (isCapitals(line)) {
      if (soundIn(line)?.kind === "line") sounds++
      else if (line.trim().length > 3 && !/[:!?]/u.test(line)) capitals++
    } else if (/\p{Ll}{2}/u.test(line)) mixed++
  }
  const music = texts.filter((text) => namedMusic.test(text)).length
  if (sounds + music === 0 || capitals > mixed + sounds || mixed === 0) return texts
  if (sounds + music === 1 && capitals > 2) return texts
  return texts.map((text) => {
    if (!/\p{Lu}{3}/u.test(text)) return text
    if (namedMusic.test(text) && text.length <= 150) return `{${text.replace(/[{}]/gu, "")}}`
    return text
      .split("\n")
      .map((line) => soundIn(line)?.marked ?? line)
      .join("\n")
  })
}
