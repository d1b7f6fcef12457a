/** Language detection by common words, for languages that share a script. */

/** Words that are frequent in a language, by language tag. */
export const frequent: Readonly<Record<string, string>> = {
  en: "the and you of to is it that was what this have with for not are we your they be can there would don't it's were in on my he she",
  fr: "le les est et je vous pas une des ce que qui dans nous pour il sur avec c'est mais elle au tout cette suis du de la",
  es: "el los es y que en un lo por para con una no las está pero qué como muy yo eso mi usted ella hay de más del la se",
  de: "der die das und ich ist nicht sie ein zu wir es mit den du eine auf was auch haben sich aber wie für dem von er war",
  it: "il che di è non un per una sono mi della ho con cosa gli questo lo ma ti anche più come si perché del nel la",
  pt: "o que não um uma eu você é os para com está mas isso do da em foi ele muito seu tem por ao de e se",
  nl: "het een ik en van dat is niet je de wat zijn we op hij dit voor maar met er heb naar ook te",
  sv: "och att det jag är en inte som på du har för vi med den ett han var vad så om men",
  da: "og det jeg er ikke en til at du har på vi med den som for hvad han af så kan",
  no: "og det jeg er ikke en til at du har på vi med den som for hva han av så kan",
  fi: "on ja ei se että hän minä mitä sinä olen kun mutta niin tämä ole oli",
  pl: "nie się to jest w na i że co jak z do ja ale czy tak mnie jestem po już był",
  cs: "je to se na že ne jsem a co jak v tak ale si jsi už být do byl není",
  hu: "a az nem és hogy van ez egy is mit de én meg csak ha azt",
  ro: "nu este să și de ce în pe un sunt cu mai că la eu asta ai",
  tr: "bir ve bu ne için değil ben çok sen mi da var ama evet gibi daha",
  id: "yang dan tidak di itu ini aku kau dengan untuk apa akan dari ada saya kita kamu ke bisa",
  vi: "là của và không có một được người những này cho với các đã tôi anh em cô thì mà chúng ta đi gì trong",
  ru: "и в не на что я он она это как но мы вы из у",
  uk: "і в не на що я він вона це як але ми ви з у та"
}

const languagesByWord = new Map<string, Array<string>>()
for (const [language, words] of Object.entries(frequent))
  for (const word of words.split(" ")) {
    const languages = languagesByWord.get(word)
    if (languages === undefined) languagesByWord.set(word, [language])
    else languages.push(language)
  }

/** Counts, for each language, how many of a text's words are frequent in it. */
export const frequentWords = (text: string): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const [word] of text
    .toLowerCase()
    .normalize("NFC")
    .replaceAll("’", "'")
    .matchAll(/[\p{L}\p{M}']+/gu))
    for (const language of languagesByWord.get(word) ?? [])
      counts.set(language, (counts.get(language) ?? 0) + 1)
  return counts
}

/** Returns the language with most frequent words; undefined if there are too few. */
export const languageByWords = (counts: ReadonlyMap<string, number>): string | undefined => {
  const [best] = [...counts].sort((a, b) => b[1] - a[1])
  return best !== undefined && best[1] >= fewest ? best[0] : undefined
}

/** Fewest frequent words that identify a language. */
const fewest = 8

/** Returns the language of which a text has clearly more frequent words, each counted once, than of any unlike one. */
export const clearLanguageOf = (text: string): string | undefined => {
  const words = new Set(text.toLowerCase().split(/[^\p{L}\p{M}'’]+/u))
  const counts = frequentWords([...words].filter((word) => !shared.has(word)).join(" "))
  const [language = "", most = 0] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? []
  const isClear = [...counts].every(([other, count]) => isAlike(other, language) || count * 2 <= most)
  return isClear && most >= fewestDistinct ? language : undefined
}

/** Fewest different words that identify a language, and words that are frequent in many. */
const fewestDistinct = 5
const shared = new Set(["de", "en", "la", "me", "se", "un"])

/** Whether two languages are one, or too close to each other to tell them apart by their words. */
export const isAlike = (one: string, other: string): boolean =>
  one === other || alike.some((group) => group.includes(one) && group.includes(other))

const alike = ["no nb nn da sv", "id ms", "cs sk", "zh cmn yue", "he iw", "fil tl", "sr hr bs sh"].map(
  (group) => group.split(" ")
)
