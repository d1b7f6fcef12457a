/** Names of units and currencies in Vietnamese, after or before a number. */

const units = new Map(
  Object.entries({
    "%": "phần trăm",
    "‰": "phần nghìn",
    km: "ki lô mét",
    m: "mét",
    dm: "đề xi mét",
    cm: "xen ti mét",
    mm: "mi li mét",
    nm: "na nô mét",
    µm: "mi crô mét",
    km2: "ki lô mét vuông",
    m2: "mét vuông",
    cm2: "xen ti mét vuông",
    m3: "mét khối",
    cm3: "xen ti mét khối",
    ha: "héc ta",
    kg: "ki lô gam",
    g: "gam",
    gr: "gam",
    mg: "mi li gam",
    l: "lít",
    L: "lít",
    lít: "lít",
    ml: "mi li lít",
    mL: "mi li lít",
    h: "giờ",
    p: "phút",
    ph: "phút",
    phút: "phút",
    s: "giây",
    ms: "mi li giây",
    "°": "độ",
    "°C": "độ xê",
    "℃": "độ xê",
    "°F": "độ ép",
    Hz: "héc",
    kHz: "ki lô héc",
    MHz: "mê ga héc",
    GHz: "gi ga héc",
    kW: "ki lô oát",
    MW: "mê ga oát",
    kWh: "ki lô oát giờ",
    mAh: "mi li am pe giờ",
    Pa: "pát can",
    dB: "đề xi ben",
    cal: "ca lo",
    kcal: "ki lô ca lo",
    KB: "ki lô bai",
    kB: "ki lô bai",
    MB: "mê ga bai",
    GB: "gi ga bai",
    TB: "tê ra bai",
    Mbps: "mê ga bít trên giây",
    px: "pích xeo",
    inch: "inh",
    '"': "inh",
    ft: "phít",
    mph: "dặm trên giờ",
    đ: "đồng",
    Đ: "đồng",
    "₫": "đồng",
    đồng: "đồng",
    VND: "đồng",
    VNĐ: "đồng",
    vnđ: "đồng",
    $: "đô la",
    USD: "đô la Mỹ",
    "€": "ơ rô",
    EUR: "ơ rô",
    "£": "bảng Anh",
    GBP: "bảng Anh",
    "¥": "yên",
    JPY: "yên",
    k: "nghìn",
    K: "nghìn",
    tr: "triệu",
    triệu: "triệu",
    tỷ: "tỷ",
    tỉ: "tỷ",
    M: "triệu",
    x: "lần"
  })
)

/** Returns the name of a unit after a number, also of powers and quotients ("km²", "km/h", "đ/kg"), else undefined. */
export const unitName = (written: string): string | undefined => {
  const plain = written.replace(/²/gu, "2").replace(/³/gu, "3").replace(/º/gu, "°")
  const known = units.get(plain)
  if (known !== undefined) return known
  const [numerator = "", denominator = "", ...more] = plain.split("/")
  const above = units.get(numerator)
  const below = units.get(denominator)
  return above === undefined || below === undefined || more.length > 0 ? undefined : `${above} trên ${below}`
}

/** Returns the name of a currency sign before a number. */
export const currencyName = (sign: string): string | undefined =>
  /^(?:US\$|[$€£¥₫])$/u.test(sign) ? units.get(sign.slice(-1)) : undefined

/** Whether a word is a magnitude that multiplies the number before it, as in "5 triệu" (5 million). */
export const isMagnitude = (word: string): boolean => /^(?:trăm|nghìn|ngàn|vạn|triệu|tỷ|tỉ)$/u.test(word)
