/**
 * The sentences that `voices try` speaks, by language. Each has at least 100 characters, which some providers require.
 */
export const sampleTexts: Readonly<Record<string, string>> = {
  de: "Am Abend des 14. Mai lief sie die lange Treppe hinunter und rief: „Wartet auf mich!“ Dann war es wieder still im Haus.",
  en: "On the evening of May 14 she ran down the long stairs and called out: “Wait for me!” Then the house was quiet again.",
  es: "La tarde del 14 de mayo bajó corriendo la larga escalera y gritó: «¡Esperadme!». Después, la casa quedó otra vez en silencio.",
  fr: "Le soir du 14 mai, elle descendit le long escalier en courant et cria : « Attendez-moi ! » Puis la maison redevint calme.",
  id: "Pada malam tanggal 14 Mei dia berlari menuruni tangga yang panjang dan berseru: “Tunggu aku!” Lalu rumah itu sepi kembali.",
  it: "La sera del 14 maggio scese di corsa la lunga scala e gridò: «Aspettatemi!» Poi la casa tornò di nuovo silenziosa e buia.",
  nl: "Op de avond van 14 mei rende ze de lange trap af en riep: ‘Wacht op mij!’ Daarna was het weer helemaal stil in het huis.",
  pl: "Wieczorem 14 maja zbiegła po długich schodach i zawołała: „Zaczekajcie na mnie!” Potem w domu znów zrobiło się cicho.",
  pt: "Na noite de 14 de maio, ela desceu correndo a longa escada e gritou: “Esperem por mim!” Depois a casa ficou em silêncio.",
  ru: "Вечером 14 мая она сбежала вниз по длинной лестнице и крикнула: «Подождите меня!» Потом в доме снова стало совсем тихо.",
  sv: "På kvällen den 14 maj sprang hon nerför den långa trappan och ropade: ”Vänta på mig!” Sedan blev det åter tyst i huset.",
  tr: "14 Mayıs akşamı uzun merdivenden koşarak indi ve bağırdı: “Beni bekleyin!” Sonra ev yeniden derin bir sessizliğe gömüldü.",
  uk: "Увечері 14 травня вона збігла вниз довгими сходами й гукнула: «Зачекайте на мене!» Потім у домі знову стало зовсім тихо.",
  vi: "Tối ngày 14 tháng 5, cô chạy xuống chiếc cầu thang dài và gọi to: “Chờ tôi với!” Rồi cả ngôi nhà lại chìm trong yên lặng."
}
