/** Vietnamese abbreviations written out, and initials with a special pronunciation. */
import { readings } from "../Token.ts"

/** Written out everywhere, with or without a dot after them. Case-sensitive. */
const full = readings(`
  TP.HCM Tp.HCM TPHCM = thành phố Hồ Chí Minh; TP.HN = thành phố Hà Nội; TP Tp t/p = thành phố;
  HCM = Hồ Chí Minh; HN = Hà Nội; SG = Sài Gòn; ĐN = Đà Nẵng; VN = Việt Nam; UBND = ủy ban nhân dân;
  HĐND = hội đồng nhân dân; MTTQ = mặt trận tổ quốc; CHXHCN = cộng hòa xã hội chủ nghĩa;
  XHCN = xã hội chủ nghĩa; LHQ = Liên hợp quốc; TW TƯ = trung ương; BCH = ban chấp hành; BTC = ban tổ chức;
  BGH = ban giám hiệu; BQL = ban quản lý; BV = bệnh viện; CLB = câu lạc bộ; CSGT = cảnh sát giao thông;
  CAND = công an nhân dân; QĐND = quân đội nhân dân; PCCC = phòng cháy chữa cháy;
  ATGT = an toàn giao thông; GTVT = giao thông vận tải; GD-ĐT GD&ĐT = giáo dục và đào tạo;
  GDĐT = giáo dục đào tạo; KHCN = khoa học công nghệ; CNTT = công nghệ thông tin;
  LĐ-TB&XH = lao động thương binh và xã hội; NXB = nhà xuất bản; THPT = trung học phổ thông;
  THCS = trung học cơ sở; ĐH = đại học; ĐHQG = đại học quốc gia; HS = học sinh; SV = sinh viên;
  HSSV = học sinh sinh viên; GV = giáo viên; HLV = huấn luyện viên; BTV = biên tập viên; PV = phóng viên;
  NSND = nghệ sĩ nhân dân; NSƯT = nghệ sĩ ưu tú; GS = giáo sư; PGS = phó giáo sư; TS = tiến sĩ;
  ThS Th.S Ths = thạc sĩ; BS = bác sĩ; KTS = kiến trúc sư; KS = kỹ sư; LS = luật sư; GĐ = giám đốc;
  TGĐ = tổng giám đốc; HĐQT = hội đồng quản trị; Cty = công ty; TNHH = trách nhiệm hữu hạn;
  DN = doanh nghiệp; DNNN = doanh nghiệp nhà nước; BHYT = bảo hiểm y tế; BHXH = bảo hiểm xã hội;
  BĐS = bất động sản; NHNN = ngân hàng nhà nước; KTX = ký túc xá; KCN = khu công nghiệp; ĐT = điện thoại;
  SĐT sđt = số điện thoại; ĐBSCL = đồng bằng sông Cửu Long; NQ = nghị quyết; NĐ = nghị định;
  CP = chính phủ; NĐ-CP = nghị định chính phủ; TTg = thủ tướng; CN = chủ nhật; SN = sinh năm;
  v.v vv = vân vân; VD vd = ví dụ; ko = không; đc = được
`)

/** Written out only with a dot after them: "Q.1" is a district, "Q" a letter. */
const dotted = readings(`
  Q = quận; P = phường; H = huyện; X = xã; TX = thị xã; TT = thị trấn; Đ = đường; T = tỉnh; N = ngày;
  Th = tháng; St = Saint; Mr = Mister; Mrs = Missus; Ms = Miss; Dr = Doctor; No = số; tr = trang;
  stt = số thứ tự
`)

/** Initials and foreign acronyms with their usual pronunciation. */
const initials = readings(`
  TV = ti vi; CEO = xi i ô; GDP = gi đi pi; USD = đô la Mỹ; VND VNĐ = đồng; EUR = ơ rô; IT = ai ti;
  PC = pi xi; MC = em xi; DJ = đi giây; VIP = víp; IQ = ai kiu; EQ = i kiu; ID = ai đi; OK = ô kê;
  FBI = ép bi ai; CIA = xi ai ây; NATO = na tô; ASEAN = a xê an; UNESCO = u nét xcô; UNICEF = u ni xép;
  FIFA = phi pha; AIDS = ết; SIM = xim; PIN = pin; WC = vê kép xê
`)

/** Abbreviations before a name: the dot after them does not end a sentence. */
const titles = new Set(["TP", "Tp", "GS", "PGS", "TS", "ThS", "Ths", "BS", "KS", "LS", "KTS"])

/** Whether a dot after the word belongs to the abbreviation. */
export const ownsDot = (core: string): boolean => {
  const last = core.slice(core.lastIndexOf(".") + 1)
  return titles.has(last) || dotted.has(last)
}

/** Returns an abbreviation written out; undefined for other words. `dot`: whether a dot follows it. */
export const expanded = (core: string, dot: boolean): string | undefined =>
  full.get(core) ?? initials.get(core) ?? (dot ? dotted.get(core) : undefined)
