/** Three-letter language codes (ISO 639-2) for media containers. */
import { primaryLanguage } from "../../domain/values/Ids.ts"

/**
 * The kind of code that a container uses: ISO 639-2/T (`deu`; MP4 and tags) or ISO 639-2/B (`ger`; Matroska). MOV has
 * QuickTime language numbers for about a hundred languages; `quicktime` is the code that ffmpeg maps to them.
 */
export type LanguageSpelling = "terminology" | "bibliographic" | "quicktime"

/**
 * Returns the code for a language tag or another container's code: `vie` for vi, `por` for pt-BR, `deu` or `ger` for
 * de. Unknown three-letter codes pass through; a language without a code is `und`, undetermined.
 */
export const languageCode = (tag: string, spelling: LanguageSpelling = "terminology"): string => {
  const language = primaryLanguage(tag)
  const code =
    language.length === 3 ? (terminology.get(language) ?? language) : (codes.get(language) ?? "und")
  switch (spelling) {
    case "terminology":
      return code
    case "bibliographic":
      return bibliographic.get(code) ?? code
    case "quicktime":
      return quicktime.get(code) ?? code
  }
}

/** Pairs of ISO 639-1 and ISO 639-2/T codes. */
const table = `
  aa:aar ab:abk ae:ave af:afr ak:aka am:amh an:arg ar:ara as:asm av:ava ay:aym az:aze ba:bak
  be:bel bg:bul bi:bis bm:bam bn:ben bo:bod br:bre bs:bos ca:cat ce:che ch:cha co:cos cr:cre
  cs:ces cu:chu cv:chv cy:cym da:dan de:deu dv:div dz:dzo ee:ewe el:ell en:eng eo:epo es:spa
  et:est eu:eus fa:fas ff:ful fi:fin fj:fij fo:fao fr:fra fy:fry ga:gle gd:gla gl:glg gn:grn
  gu:guj gv:glv ha:hau he:heb hi:hin ho:hmo hr:hrv ht:hat hu:hun hy:hye hz:her ia:ina id:ind
  ie:ile ig:ibo ii:iii ik:ipk io:ido is:isl it:ita iu:iku ja:jpn jv:jav ka:kat kg:kon ki:kik
  kj:kua kk:kaz kl:kal km:khm kn:kan ko:kor kr:kau ks:kas ku:kur kv:kom kw:cor ky:kir la:lat
  lb:ltz lg:lug li:lim ln:lin lo:lao lt:lit lu:lub lv:lav mg:mlg mh:mah mi:mri mk:mkd ml:mal
  mn:mon mr:mar ms:msa mt:mlt my:mya na:nau nb:nob nd:nde ne:nep ng:ndo nl:nld nn:nno no:nor
  nr:nbl nv:nav ny:nya oc:oci oj:oji om:orm or:ori os:oss pa:pan pi:pli pl:pol ps:pus pt:por
  qu:que rm:roh rn:run ro:ron ru:rus rw:kin sa:san sc:srd sd:snd se:sme sg:sag sh:hbs si:sin
  sk:slk sl:slv sm:smo sn:sna so:som sq:sqi sr:srp ss:ssw st:sot su:sun sv:swe sw:swa ta:tam
  te:tel tg:tgk th:tha ti:tir tk:tuk tl:tgl tn:tsn to:ton tr:tur ts:tso tt:tat tw:twi ty:tah
  ug:uig uk:ukr ur:urd uz:uzb ve:ven vi:vie vo:vol wa:wln wo:wol xh:xho yi:yid yo:yor za:zha
  zh:zho zu:zul
`

const pairsIn = (table: string): ReadonlyArray<readonly [string, string]> =>
  table
    .trim()
    .split(/\s+/u)
    .map((pair) => {
      const [from = "", to = ""] = pair.split(":")
      return [from, to.padEnd(3)]
    })

const codes = new Map(pairsIn(table))

/** ISO 639-2/T to ISO 639-2/B, for languages whose codes differ. */
const bibliographic = new Map(
  pairsIn(`
    bod:tib ces:cze cym:wel deu:ger ell:gre eus:baq fas:per fra:fre hye:arm isl:ice kat:geo mkd:mac mri:mao
    msa:may mya:bur nld:dut ron:rum slk:slo sqi:alb zho:chi
  `)
)

const terminology = new Map([...bibliographic].map(([own, english]) => [english, own]))

const quicktime = new Map(
  pairsIn(`
    bod:tib cym:wel deu:ger ell:gre eus:baq fao:fo fas:per hrv:hr hye:arm isl:ice kat:geo mkd:mac msa:may mya:bur
    nld:dut nno:nor nob:nor pan:pa sqi:alb srp:sr swe:sve zho:chi
  `)
)
