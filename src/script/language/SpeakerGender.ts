/** Guesses whether a speaker is a man or a woman: from words and titles in the name, else from given names. */
import { primaryLanguage } from "../../domain/values/Ids.ts"

export type Gender = "female" | "male"

/**
 * Returns the gender that a speaker's name suggests; undefined if it suggests none or both. Words such as MAN or MRS.
 * decide before given names. The tables of `language` decide first, then those of all others, if they agree: a dub
 * keeps the names of the film, and Andrea is a man in Italian only.
 */
export const genderOfSpeaker = (name: string, language: string | undefined): Gender | undefined => {
  const found =
    name
      .normalize("NFC")
      .toLowerCase()
      .match(/[\p{L}\p{M}]+/gu) ?? []
  // M. is a title in front of a name, and an initial behind it.
  const parts = found.filter((part, at) => at === 0 || !/^[a-z]$/u.test(part))
  const own = primaryLanguage(language ?? "")
  const said = (table: Table, all: ReadonlyArray<string>): Gender | undefined => {
    const inLanguage = (isIn: (tags: ReadonlySet<string>) => boolean) => {
      const genders = all.flatMap((word) =>
        [...(table.get(word) ?? [])].flatMap(([gender, tags]) => (isIn(tags) ? [gender] : []))
      )
      return new Set(genders).size === 1 ? genders[0] : undefined
    }
    return inLanguage((tags) => tags.has(own)) ?? inLanguage(() => true)
  }
  // A Vietnamese given name comes last.
  const given = own === "vi" ? parts.toReversed() : parts
  return said(words, parts) ?? given.map((part) => said(names, [part])).find((gender) => gender !== undefined)
}

/** The genders of each word, with the languages in which it has them. */
type Table = ReadonlyMap<string, ReadonlyMap<Gender, ReadonlySet<string>>>

/** One language a line: its tag, the words of women, and those of men. */
const tableOf = (lines: string): Table => {
  const table = new Map<string, Map<Gender, Set<string>>>()
  const add = (text: string, gender: Gender, language: string) => {
    // Capitals often lack their accents. In Vietnamese, they make another word.
    const plain = language === "vi" ? "" : ` ${text.normalize("NFD").replace(/\p{Mn}/gu, "")}`
    for (const word of `${text}${plain}`.split(" ")) {
      const genders = table.get(word) ?? new Map<Gender, Set<string>>()
      table.set(word, genders.set(gender, (genders.get(gender) ?? new Set()).add(language)))
    }
  }
  for (const line of lines.trim().split("\n")) {
    const [language = "", female = "", male = ""] = line.split(" | ")
    add(female, "female", language)
    add(male, "male", language)
  }
  return table
}

/** Words and titles. */
const words: Table = tableOf(`
en | woman women girl lady ladies mrs ms miss madam mom mum mommy mummy mother grandmother grandma granny aunt auntie sister daughter wife queen princess duchess countess empress actress waitress hostess stewardess nun widow bride girlfriend goddess witch female she her schoolgirl saleswoman policewoman stepmother niece heroine housewife maid governess | man men boy guy gentleman mr sir dad daddy papa father grandfather grandpa uncle brother son husband king prince duke count emperor lord waiter priest monk widower groom boyfriend god wizard male he schoolboy salesman policeman stepfather nephew butler fisherman ferryman fireman mailman postman sailor bishop pope lad dude bloke
fr | femme fille dame mme mlle madame mademoiselle maman mère mamie tante sœur soeur épouse reine princesse duchesse comtesse serveuse infirmière vieille actrice religieuse voisine fillette | homme garçon monsieur m papa père papi oncle frère fils mari roi duc comte serveur vieux curé voisin infirmier policier soldat facteur
de | frau mädchen dame fräulein mama mutti mutter großmutter oma tante schwester tochter ehefrau königin prinzessin herzogin gräfin kellnerin ärztin lehrerin polizistin verkäuferin chefin nachbarin krankenschwester | herr mann männer junge vati vater großvater opa onkel bruder sohn ehemann könig prinz herzog graf kellner arzt lehrer polizist verkäufer nachbar pfarrer
es | mujer chica niña señora señorita sra srta doña mamá madre abuela tía hermana hija esposa reina princesa camarera enfermera vieja vecina doctora profesora | hombre chico niño señor sr don papá padre abuelo tío hermano hijo esposo marido rey príncipe camarero enfermero viejo vecino profesor
it | donna ragazza bambina signora signorina mamma madre nonna zia sorella figlia moglie regina principessa cameriera dottoressa vecchia infermiera | uomo ragazzo bambino signore signor sig papà padre nonno zio fratello figlio marito principe cameriere dottore vecchio infermiere don
pt | mulher menina moça rapariga senhora sra dona mamãe mãe avó tia irmã filha esposa rainha princesa garçonete velha vizinha enfermeira professora | homem menino moço rapaz senhor sr pai avô tio irmão filho marido rei príncipe garçom velho vizinho enfermeiro professor
nl | vrouw meisje mevrouw mevr juffrouw moeder oma zus zuster dochter koningin prinses mama | man jongen meneer heer dhr vader opa oom broer zoon koning prins
sv | kvinna flicka tjej fru fröken mamma mormor farmor syster dotter drottning prinsessa | kille pojke herr pappa morfar farfar farbror bror kung
pl | kobieta dziewczyna dziewczynka pani mama matka babcia ciocia siostra córka żona królowa księżniczka | mężczyzna chłopak chłopiec pan tata ojciec dziadek wujek brat mąż król książę
cs | žena dívka holka paní slečna matka babička teta sestra dcera královna princezna | muž chlapec kluk pán otec dědeček strýc bratr král princ
tr | kadın kız hanım bayan anne büyükanne teyze abla kraliçe prenses | adam erkek oğlan bey baba dede amca dayı kral prens
ru | женщина девушка девочка госпожа мама мать бабушка тётя тетя сестра дочь жена королева принцесса | мужчина парень мальчик господин папа отец дедушка дядя брат сын муж король принц
uk | жінка дівчина дівчинка пані мама мати бабуся тітка сестра дочка дружина королева | чоловік хлопець хлопчик пан тато батько дідусь дядько брат син король
vi | bà cô chị mẹ má dì thím mợ gái vợ nàng thị nữ | ông anh chú cậu bố cha dượng chồng chàng văn trai nam vua thầy gã
id | wanita perempuan gadis ibu nyonya nona nenek bibi ratu putri | pria lelaki pemuda bapak tuan ayah kakek paman raja pangeran
ja | 女 女性 女の子 少女 母 お母さん 祖母 姉 妹 妻 女王 姫 おばさん | 男 男性 男の子 少年 父 お父さん 祖父 兄 弟 夫 王 王子 おじさん
ko | 여자 여성 소녀 어머니 엄마 할머니 언니 누나 아내 여왕 공주 | 남자 남성 소년 아버지 아빠 할아버지 오빠 형 남편 왕 왕자
zh | 女 女人 女孩 女士 小姐 太太 母亲 妈妈 奶奶 姐姐 妹妹 妻子 女王 公主 | 男 男人 男孩 先生 父亲 爸爸 爷爷 哥哥 弟弟 丈夫 国王 王子
`)

/** Common given names. */
const names: Table = tableOf(`
en | nicola jan abigail ada alexandra alice alison allison amanda amber amelia amy andrea angela anita ann anna anne annie april ashley audrey barbara becky bella beth betty beverly bonnie brenda bridget brittany carla carmen carol caroline catherine charlotte chelsea cheryl chloe christina christine cindy claire clara courtney crystal cynthia daisy danielle daphne dawn deborah debra denise diana diane donna doris dorothy edith eleanor elena elizabeth ella ellen ellie elsie emily emma erica erin esther eva evelyn fiona florence frances gina gladys gloria grace gwen hannah harriet hazel heather heidi helen holly ida irene iris isabel isabella ivy jane janet janice jasmine jean jennifer jenny jessica jill joan joanna josephine joyce judith judy julia julie karen kate katherine kathleen kathy katie kayla kelly kimberly kristen laura lauren leah lena lillian lily linda lisa liz lois lorraine louise lucy lydia mabel madison maggie mandy margaret maria marie marilyn marjorie martha mary matilda maureen megan melanie melissa mia michelle mildred millie miriam molly monica nancy naomi natalie nell nicole nina nora norma olive olivia paige pam pamela patricia paula pauline peggy penelope penny phoebe phyllis polly priscilla rachel rebecca rhonda rita roberta rosa rose rosemary rosie ruby ruth sally samantha sandra sara sarah scarlett shannon sharon sheila shirley sophia sophie stella stephanie sue susan suzanne sylvia tammy tanya teresa theresa tiffany tina tracy ursula valerie vanessa vera veronica victoria viola virginia vivian wanda wendy winifred yvonne zoe | aaron abraham adam adrian alan albert alec alexander alfred allan andrew anthony antonio archie arnold arthur austin barry ben benjamin bernard bill billy bob bobby brad bradley brandon brendan brian bruce bryan caleb calvin carl cecil charles charlie chester christian christopher clarence claude clifford clyde colin connor craig curtis cyril dan daniel darren dave david dean dennis derek desmond dick don donald douglas duncan dustin dwight dylan earl eddie edgar edmund edward edwin elijah elliot eric ernest ethan eugene evan felix floyd francis frank franklin fred frederick gabriel gareth gary gavin geoffrey george gerald gilbert glenn gordon graham greg gregory guy harold harry harvey hector henry herbert herman homer howard hugh hugo ian isaac ivan jack jacob jake james jason jed jeff jeffrey jeremy jerome jerry jesse jim jimmy joe joel john johnny jon jonathan joseph joshua juan julian justin keith ken kenneth kevin kyle lance larry lawrence leo leon leonard lewis lloyd logan louis lucas luke malcolm marcus mario mark martin marvin matt matthew maurice max melvin michael mick mike miles mitchell nathan nathaniel ned neil nicholas nick nigel noah noel norman oliver oscar otis otto owen patrick paul percy perry pete peter phil philip ralph randy ray raymond reginald rex richard rick ricky rob robert robin rodney roger roland ron ronald ross roy rudy rufus rupert russell ryan sam samuel scott sean sebastian seth shane shaun sheldon sid sidney simon spencer stan stanley stephen steve steven stewart stuart ted terence terry theodore thomas tim timothy toby todd tom tommy tony travis trevor tristan tyler vernon victor vincent wade wallace walter warren wayne wesley wilbur will william winston zachary
fr | adèle agathe agnès alice aline amélie anaïs andrée angélique anne antoinette aurélie aurore béatrice bénédicte bernadette blanche brigitte camille cécile céline chantal charlotte chloé christelle claire clémence clotilde colette corinne danielle delphine denise édith élise élodie éloïse émilie emma estelle eugénie ève fabienne florence françoise gabrielle geneviève germaine ghislaine hélène henriette inès isabelle jacqueline jade jeanne joséphine josiane julie juliette justine laure laurence léa liliane louise lucie madeleine manon margot marguerite marianne marie marine marion marthe martine mathilde mélanie michèle mireille monique muriel mylène nadine nathalie nicole noémie océane odette odile pascale patricia paulette pauline régine renée rosalie sabine sandrine simone solange sophie stéphanie suzanne sylvie thérèse valérie véronique virginie viviane yvette yvonne zoé | adrien alain albert alexandre alexis alphonse andré antoine armand arnaud auguste aurélien bastien benoît bernard bertrand bruno cédric christophe claude clément damien denis didier édouard émile emmanuel éric étienne eugène fabien fabrice fernand florian franck françois frédéric gaspard gaston gautier gérard germain gilbert gilles grégoire guillaume guy henri hervé hubert jacques jean jérémy jérôme joël julien laurent léon loïc louis luc lucien marc marcel mathieu matthieu maurice maxime michel nicolas noël olivier pascal patrice paul philippe pierre quentin raoul raphaël raymond régis rémi rené robert roger romain sacha sébastien serge simon stéphane sylvain théo thibault thierry thomas valentin victor vincent xavier yann yves yvon
de | andrea angelika anja anke anneliese annette antje astrid barbara bärbel beate bettina birgit brigitte brunhilde christa christiane claudia cornelia dagmar doris elfriede elisabeth elke erika erna eva franziska frieda frida gabi gabriele gerda gertrud gisela greta gudrun hanna hannelore heide heike helga henriette hildegard hilde ilse inge ingrid irmgard jana johanna jutta karin käthe katharina katja katrin kerstin kirsten lena lieselotte lotte luise magdalena manuela margarete marianne marlene martina mechthild meike monika nadja petra regina renate rosemarie sabine sieglinde sigrid silke silvia simone sofie sonja stefanie susanne svenja tanja trude ulrike ursula uschi ute waltraud wiebke | achim albrecht alfons andreas anton armin arndt axel bastian benno bernd bernhard bertram björn bodo burkhard christoph detlef dieter dietmar dietrich dirk eberhard eckhard egon emil erich ernst erwin falk ferdinand florian franz friedrich fritz georg gerd gerhard gottfried götz günter günther gustav hannes hans harald hartmut heiko heiner heinrich heinz helmut henning herbert hermann holger horst ingo jakob jan jens joachim jochen johann johannes jörg josef jürgen kai karl karlheinz karsten klaus konrad kurt lars lothar ludwig lukas lutz manfred markus matthias moritz olaf otto peter rainer ralf reiner reinhard rolf rüdiger rudi rudolf sepp siegfried stefan steffen sven thorsten till tobias torsten udo ulrich uwe veit volker walther werner wilhelm willi wolfgang wolfram
es | adela adriana alba alejandra alicia ana antonia aurora beatriz blanca carla carlota carmen catalina cecilia clara claudia concepción consuelo cristina dolores elena elisa elvira emilia esperanza esther eva fátima francisca gabriela gloria guadalupe inés irene isabel josefa juana julia laura leticia lola lorena lucía luisa luz magdalena manuela margarita maría mariana marta mercedes mónica montserrat natalia nuria olga paloma patricia paula pilar raquel remedios rocío rosa rosario sara silvia sofía soledad susana teresa verónica victoria ximena yolanda | alberto alejandro alfonso alfredo álvaro andrés ángel antonio arturo carlos césar cristóbal diego domingo eduardo emilio enrique ernesto esteban federico felipe fermín fernando francisco gabriel gerardo gonzalo guillermo gustavo héctor hernán hugo ignacio jaime javier jesús joaquín jorge josé juan julio lorenzo luis manuel marcos mariano mateo mauricio miguel nicolás óscar pablo paco pedro pepe rafael ramiro ramón raúl ricardo roberto rodrigo rubén salvador santiago sergio tomás vicente víctor
it | adriana alessandra alice anna antonella beatrice bianca carla caterina chiara claudia cristina elena elisa emanuela eleonora federica francesca gabriella giada gianna ginevra giorgia giovanna giulia giuliana giuseppina grazia ilaria irene isabella laura letizia lidia lucia luisa maddalena margherita maria marina marta martina michela monica nadia ornella paola patrizia raffaella rita roberta rosa sabrina serena silvia simona sofia stefania teresa valentina valeria vittoria | adriano alberto aldo alessandro alessio andrea angelo antonio arturo bruno carlo claudio corrado cristiano dario davide diego domenico edoardo emanuele enrico ettore fabio fabrizio federico filippo francesco franco gabriele gennaro giacomo gianni gianluca gino giorgio giovanni giulio giuseppe guido lorenzo luca luciano luigi marcello marco mario massimo matteo mauro michele mirko nicola paolo pasquale pierluigi pietro raffaele renato riccardo roberto rocco salvatore sandro sergio silvio simone stefano tommaso umberto vincenzo vittorio
pt | adriana aline amanda ana beatriz bruna camila carolina catarina cláudia cristiane daniela débora eduarda fernanda filipa flávia francisca gabriela graça helena inês isabel joana juliana júlia larissa letícia lúcia luísa madalena mafalda márcia margarida maria mariana marta matilde mônica natália patrícia paula raquel renata rita rosa sandra sílvia sofia sônia susana teresa vanessa vitória | adriano afonso alexandre álvaro andré antónio antônio armando artur augusto bernardo bruno caio carlos cláudio daniel davi diego diogo duarte edson eduardo emanuel fábio felipe filipe fernando flávio francisco gabriel gonçalo guilherme gustavo henrique hugo igor joão joaquim jorge josé júlio leandro leonardo lucas luís luiz manuel marcelo márcio marcos mário mateus maurício miguel nuno otávio paulo pedro rafael renato ricardo roberto rodrigo rogério rui sérgio thiago tiago tomás vasco vinícius vítor
vi | lan huệ hoa mai hương hồng nga thảo trang linh loan yến oanh phượng thủy thuý thúy diễm tuyết hằng hạnh hiền liên nhung nguyệt ngân thu trâm vy vân mỹ quyên quỳnh trinh ly nhi thoa thơm dung cúc đào lệ | hùng dũng tuấn cường nam sơn bo kiên hải minh long quang thắng tùng trung đức hiếu huy khoa khánh khôi lâm mạnh nghĩa phong phúc phú quân quốc quý thành thịnh tiến toàn trí trọng trường tú vinh việt vũ đạt định đông bảo bình chiến công hưng lộc lợi nhân phát sáng tài tâm tân thiện
nl | anneke annemieke femke fleur griet hanneke ineke jantje lieke maaike marieke mieke saskia sanne truus wilhelmina | bart bas cees daan dirk gijs hendrik henk jaap jeroen joost kees klaas koen maarten pieter sjaak teun thijs willem wouter
sv | agneta annika astrid birgitta britta ebba elin elsa gunilla ingrid karin kerstin linnea maja saga sigrid signe ulla | anders axel bengt björn erik göran gustav håkan henrik johan karl lars leif magnus mats mikael nils olof oskar per sven ulf
pl | agnieszka aleksandra anna barbara beata danuta dorota elżbieta ewa grażyna halina iwona joanna katarzyna kasia krystyna magda magdalena małgorzata monika wanda zofia | adam andrzej bartek grzegorz henryk jacek jakub jan janusz jerzy józef kazimierz krzysztof łukasz maciej marcin marek michał paweł piotr stanisław tadeusz tomasz wojciech zbigniew
cs | anežka eliška hana helena ivana jana jitka kateřina lenka lucie marie markéta petra tereza veronika zuzana | bohumil jan jaroslav jiří josef karel ladislav lukáš milan miroslav ondřej pavel petr tomáš václav vojtěch zdeněk
tr | ayşe aylin elif emine esra fatma gül hatice hülya leyla melek merve nur selin sevgi zeynep | ahmet ali burak can cem emre fatih hakan hasan hüseyin ibrahim kemal mehmet murat mustafa osman ömer selim yusuf
ru | александра алина анастасия анна аня вера виктория галина дарья екатерина елена ирина катя ксения лариса лидия любовь людмила маргарита марина мария маша надежда наташа наталья ольга оля светлана софья тамара татьяна таня юлия | александр алексей анатолий андрей антон артём борис вадим валерий василий виктор виталий владимир вячеслав георгий григорий дмитрий евгений егор иван игорь илья кирилл константин леонид максим михаил николай олег павел пётр роман сергей степан фёдор юрий
`)
