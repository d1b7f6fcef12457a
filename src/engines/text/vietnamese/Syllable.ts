/** Checks whether letters can form a Vietnamese syllable. */

const onsets = "b c ch d đ g gh gi h k kh l m n ng ngh nh p ph qu r s t th tr v x".split(" ")

/** Rhymes without tone marks, as spelled after the onset. */
const rhymes = new Set(
  (
    "a ac ach ai am an ang anh ao ap at au ay ăc ăm ăn ăng ăp ăt âc âm ân âng âp ât âu ây " +
    "e ec em en eng eo ep et ê êch êm ên ênh êp êt êu " +
    "i ia ich iêc iêm iên iêng iêp iêt iêu im in inh ip it iu y yê yêm yên yêng yêt yêu " +
    "o oa oac oach oai oam oan oang oanh oao oap oat oay oăc oăm oăn oăng oăt oc oe oem oen oeo oet oi om on ong oong ooc op ot " +
    "ô ôc ôi ôm ôn ông ôông ôp ôt ơ ơi ơm ơn ơp ơt " +
    "u ua uân uâng uât uây uê uêch uênh uêu ui um un ung uc up ut uơ uôc uôi uôm uôn uông uôt uy uya uych uynh uyt uyên uyêt uyn uyp uyu " +
    "ư ưa ưc ưi ưm ưn ưng ươc ươi ươm ươn ương ươp ươt ươu ưt ưu"
  ).split(" ")
)

/** Rhymes after "qu", which already contains their glide. */
const afterQu = new Set(
  "a ac ach ai an ang anh ao at au ay ăc ăm ăn ăng ăp ăt âc ân âng ât ây e en eng eo et ê ên ênh êt ơ ơn y ych ynh yt yên yêt ya yu yn yp it".split(
    " "
  )
)

const toneMarks = /[\u0300\u0301\u0303\u0309\u0323]/gu

/** Whether a word contains a letter or tone mark that English lacks. */
export const hasVietnameseMarks = (word: string): boolean =>
  /[\u0302\u0306\u031bđĐ]/u.test(word.normalize("NFD")) || toneMarksIn(word) > 0

/**
 * Whether a word can be a syllable. A syllable that ends in c, ch, p or t always has a tone mark (`bát`, `học`), unless
 * it is typed without marks. `unmarked` accepts those, too.
 */
export const isSyllable = (word: string, unmarked = false): boolean => {
  const lower = word.normalize("NFC").toLowerCase()
  if (toneMarksIn(lower) > 1) return false
  const plain = lower.normalize("NFD").replace(toneMarks, "").normalize("NFC")
  const stopped = /(?:c|ch|p|t)$/u.test(plain)
  if (stopped && !unmarked && toneMarksIn(lower) === 0) return false
  if (rhymes.has(plain)) return true
  if (plain.startsWith("qu") && afterQu.has(plain.slice(2))) return true
  if (plain.startsWith("gi") && (plain === "gi" || rhymes.has(plain.slice(1)))) return true
  return onsets.some((onset) => plain.startsWith(onset) && fits(onset, plain.slice(onset.length)))
}

/** Whether onset and rhyme fit: k, gh and ngh occur only before e, ê, i and y; c, g and ng never do. */
const fits = (onset: string, rhyme: string): boolean => {
  if (!rhymes.has(rhyme)) return false
  const front = /^[eêiy]/u.test(rhyme)
  if (onset === "k" || onset === "gh" || onset === "ngh") return front
  if (onset === "c" || onset === "ng" || onset === "g") return !front
  return true
}

const toneMarksIn = (word: string): number => word.normalize("NFD").match(toneMarks)?.length ?? 0
