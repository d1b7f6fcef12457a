/** Lines of six languages, as in the subtitles of a film. */
import type { SpokenFilm } from "../../../bench/listen/plantedFaults.ts"

const lines: Readonly<Record<string, string>> = {
  en: `The harbour was still dark when we left.
Did anyone see the lighthouse keeper this morning?
He left his coat on the chair by the window.
We have 25 minutes before the ferry goes.
Take the old road and don't look back.
My brother never told me what happened in 1984.
She wants to know where you hid the letters.
Nobody opens that door without the captain.
I heard the engine stop around midnight.
There is a storm coming from the north.`,
  de: `Der Hafen war noch dunkel, als wir losfuhren.
Hat heute Morgen jemand den Leuchtturmwärter gesehen?
Er hat seinen Mantel am Fenster liegen lassen.
Wir haben 25 Minuten, bevor die Fähre ablegt.
Nimm die alte Straße und schau nicht zurück.
Mein Bruder hat mir nie erzählt, was 1984 geschah.
Sie will wissen, wo du die Briefe versteckt hast.
Niemand öffnet diese Tür ohne den Kapitän.
Gegen Mitternacht hörte ich den Motor ausgehen.
Von Norden her zieht ein Gewitter auf.`,
  fr: `Le port était encore sombre quand nous sommes partis.
Quelqu'un a-t-il vu le gardien du phare ce matin ?
Il a laissé son manteau sur la chaise près de la fenêtre.
Nous avons 25 minutes avant le départ du ferry.
Prends la vieille route et ne te retourne pas.
Mon frère ne m'a jamais dit ce qui s'est passé.
Elle veut savoir où tu as caché les lettres.
Personne n'ouvre cette porte sans le capitaine.
J'ai entendu le moteur s'arrêter vers minuit.
Une tempête arrive du nord, dit-on.`,
  es: `El puerto seguía oscuro cuando nos fuimos.
¿Alguien ha visto al farero esta mañana?
Dejó su abrigo en la silla junto a la ventana.
Tenemos 25 minutos antes de que salga el barco.
Toma el camino viejo y no mires atrás.
Mi hermano nunca me contó lo que pasó.
Ella quiere saber dónde escondiste las cartas.
Nadie abre esa puerta sin el capitán.
Oí que el motor se paró a medianoche.
Viene una tormenta desde el norte.`,
  vi: `Bến cảng vẫn còn tối khi chúng tôi rời đi.
Sáng nay có ai thấy người gác hải đăng không?
Anh ấy để quên áo khoác bên cửa sổ.
Chúng ta còn 25 phút trước khi phà rời bến.
Hãy đi đường cũ và đừng ngoảnh lại.
Em trai tôi chưa bao giờ kể chuyện gì đã xảy ra.
Cô ấy muốn biết anh giấu những lá thư ở đâu.
Không ai mở cánh cửa đó mà thiếu thuyền trưởng.
Tôi nghe máy tàu tắt vào khoảng nửa đêm.
Một cơn bão đang kéo đến từ phương bắc.`,
  ja: `私たちが出発したとき港はまだ暗かった。
今朝だれか灯台の番人を見ましたか。
彼は窓のそばの椅子に上着を忘れました。
船が出るまであと25分あります。
古い道を行って、後ろを振り向かないで。
弟は何があったのか一度も話してくれなかった。
彼女は手紙をどこに隠したのか知りたがっています。
船長がいなければだれもその扉を開けません。
真夜中ごろエンジンが止まる音を聞いた。
北のほうから嵐が近づいています。`
}

export const films: ReadonlyArray<SpokenFilm> = Object.entries(lines).map(([language, text]) => ({
  language,
  lines: text.split("\n")
}))
