/**
 * The voices of the bundled engines, as the engines list them. With this copy, a catalogue needs no engine. Tests
 * compare them with the engines' own lists.
 */
import { primaryLanguage } from "../domain/values/Ids.ts"
import type { EngineVoice } from "./Engine.ts"

/** One voice a line: its id, its name, and its languages as BCP 47 tags. */
const table = `
af | Afrikaans | af
am | Amharic | am
an | Aragonese | an
ar | Arabic | ar
as | Assamese | as
az | Azerbaijani | az
ba | Bashkir | ba
be | Belarusian | be
bg | Bulgarian | bg
bn | Bengali | bn
bpy | Bishnupriya Manipuri | bpy
bs | Bosnian | bs
ca | Catalan | ca
ca-ba | Catalan (Balearic) | ca-BA
ca-nw | Catalan (North-western) | ca-NW
ca-va | Catalan (Valencian) | ca-VA
chr | Cherokee | chr-US-Qaaa-x-west
cmn | Chinese (Mandarin, latin as English) | zh zh-cmn
cmn-latn-pinyin | Chinese (Mandarin, latin as Pinyin) | zh-Latn-pinyin zh-cmn zh
cs | Czech | cs
cv | Chuvash | cv
cy | Welsh | cy
da | Danish | da
de | German | de
el | Greek | el
en-029 | English (Caribbean) | en-029 en
en | English (Great Britain) | en-GB en
en-gb-scotland | English (Scotland) | en-GB-scotland en
en-gb-x-gbclan | English (Lancaster) | en-GB-x-gbclan en-GB en
en-gb-x-gbcwmd | English (West Midlands) | en-GB-x-gbcwmd en-GB en
en-gb-x-rp | English (Received Pronunciation) | en-GB-x-rp en-GB en
en-us | English (America) | en-US en
en-us-nyc | English (America, New York City) | en-us-nyc
eo | Esperanto | eo
es | Spanish (Spain) | es
es-419 | Spanish (Latin America) | es-419 es-MX
et | Estonian | et
eu | Basque | eu
fa | Persian | fa
fa-latn | Persian (Pinglish) | fa-Latn
fi | Finnish | fi
fo | Faroese | fo
fr-be | French (Belgium) | fr-BE fr
fr-ch | French (Switzerland) | fr-CH fr
fr | French (France) | fr-FR fr
ga | Gaelic (Irish) | ga
gd | Gaelic (Scottish) | gd
gn | Guarani | gn
grc | Greek (Ancient) | grc
gu | Gujarati | gu
hak | Hakka Chinese | hak
haw | Hawaiian | haw
he | Hebrew | he
hi | Hindi | hi
hr | Croatian | hr sr-Latn
ht | Haitian Creole | ht
hu | Hungarian | hu
hy | Armenian (East Armenia) | hy
hyw | Armenian (West Armenia) | hyw hy
ia | Interlingua | ia
id | Indonesian | id
io | Ido | io
is | Icelandic | is
it | Italian | it
ja | Japanese | ja
jbo | Lojban | jbo
ka | Georgian | ka
kaa | Karakalpak | kaa
kk | Kazakh | kk
kl | Greenlandic | kl
kn | Kannada | kn
ko | Korean | ko
kok | Konkani | kok
ku | Kurdish | ku
ky | Kyrgyz | ky
la | Latin | la
lb | Luxembourgish | lb
lfn | Lingua Franca Nova | lfn
lt | Lithuanian | lt
ltg | Latgalian | ltg
lv | Latvian | lv
mi | Māori | mi
mk | Macedonian | mk
ml | Malayalam | ml
mr | Marathi | mr
ms | Malay | ms
mt | Maltese | mt
mto | Totontepec Mixe | mto
my | Myanmar (Burmese) | my
nb | Norwegian Bokmål | nb no
nci | Nahuatl (Classical) | nci
ne | Nepali | ne
nl | Dutch | nl
nog | Nogai | nog
om | Oromo | om
or | Oriya | or
pa | Punjabi | pa
pap | Papiamento | pap
piqd | Klingon | piqd
pl | Polish | pl
pt | Portuguese (Portugal) | pt pt-PT
pt-br | Portuguese (Brazil) | pt-BR pt
py | Pyash | py
qdb | Lang Belta | qdb
qu | Quechua | qu
quc | K'iche' | quc
qya | Quenya | qya
ro | Romanian | ro
ru | Russian | ru
ru-cl | Russian (Classic) | ru-CL
ru-lv | Russian (Latvia) | ru-LV
sd | Sindhi | sd
shn | Shan (Tai Yai) | shn
si | Sinhala | si
sjn | Sindarin | sjn
sk | Slovak | sk
sl | Slovenian | sl
smj | Lule Saami | smj
sq | Albanian | sq
sr | Serbian | sr
sv | Swedish | sv
sw | Swahili | sw
ta | Tamil | ta
te | Telugu | te
th | Thai | th
ti | Tigrinya | ti
tk | Turkmen | tk
tn | Setswana | tn
tr | Turkish | tr
tt | Tatar | tt
ug | Uyghur | ug
uk | Ukrainian | uk
ur | Urdu | ur
uz | Uzbek | uz
vi | Vietnamese (Northern) | vi
vi-vn-x-central | Vietnamese (Central) | vi-VN-x-central
vi-vn-x-south | Vietnamese (Southern) | vi-VN-x-south
xex | xextan-test | xex
yue | Chinese (Cantonese) | yue zh-yue zh
yue-latn-jyutping | Chinese (Cantonese, latin as Jyutping) | yue zh-yue zh
`

/** The base voices of eSpeak NG. */
export const espeakVoices: ReadonlyArray<EngineVoice> = table
  .trim()
  .split("\n")
  .map((line) => {
    const [id = "", name = "", languages = ""] = line.split(" | ")
    return { id, name, languages: languages.split(" ") }
  })

/** Returns eSpeak NG's voice for a language (BCP 47): of the same region, else any of the language. */
export const espeakVoiceOf = (language: string): string | undefined => {
  const tag = language.toLowerCase().replaceAll("_", "-")
  const primary = primaryLanguage(tag)
  const speaks = (wanted: string) => (voice: { readonly languages: ReadonlyArray<string> }) =>
    voice.languages.some((each) => each.toLowerCase() === wanted)
  const own = aliases[primary] ?? primary
  return (
    espeakVoices.find(({ id }) => id === (tag === "en" ? "en-us" : tag)) ??
    espeakVoices.find(speaks(tag)) ??
    espeakVoices.find(({ id }) => id === own) ??
    espeakVoices.find(({ id }) => primaryLanguage(id) === own) ??
    espeakVoices.find(speaks(own))
  )?.id
}

/** Languages whose voice has another name. */
const aliases: Readonly<Record<string, string>> = { zh: "cmn", no: "nb", iw: "he" }

/** Flite's voices, by its names; omits "awb_time", which can only speak times of day. */
export const fliteVoices = [
  { id: "slt", name: "SLT (American English)", gender: "female", languages: ["en-US"] },
  { id: "rms", name: "RMS (American English)", gender: "male", languages: ["en-US"] },
  { id: "awb", name: "AWB (Scottish English)", gender: "male", languages: ["en-GB"] },
  { id: "kal", name: "KAL, 8 kHz (American English)", gender: "male", languages: ["en-US"] },
  { id: "kal16", name: "KAL, 16 kHz (American English)", gender: "male", languages: ["en-US"] }
] as const satisfies ReadonlyArray<EngineVoice>
