import { describe, expect, it } from "vitest";
import { cleanText } from "./clean.ts";

/** How the world's mailers introduce a quote. */
const introductions = [
  "On Mon, 3 May 2021 at 10:15, Anna Berg <anna@example.org> wrote:",
  "On Mon, May 3, 2021 at 10:15 AM Anna Berg <anna@example.org>\nwrote:",
  "On Mon, May 3, 2021 at 10:15 AM Anna Maria Magdalena Berg via Some List <\nsome-list@lists.example.org> wrote:",
  "On Monday, 3 May 2021 10:15:00 CEST\nAnna Berg\n<anna.with.a.long.name@example.org>\nwrote:",
  "On 2021-05-03, Anna Berg <anna@example.org> wrote:",
  "On 03/05/2021 10:15, Anna Berg wrote:",
  "On Mon, May 03, 2021 at 10:15:00AM +0200, Anna Berg wrote:",
  "On Mon, 2021-05-03 at 10:15 +0200, Anna Berg wrote:",
  "At 10:15 AM 5/3/2021, Anna Berg wrote:",
  "At 10:00 AM, Anna wrote",
  "Anna Berg writes:",
  "Anna Berg wrote:",
  "anna wrote:",
  "anna at example.org wrote:",
  "Anna Berg <anna at example.org> writes:",
  "Anna Berg wrote on 05/03/2021 10:15:00 AM:",
  "In article <abc123@news.example.org>, Anna Berg writes:",
  "In article <abc123@news.example.org>,\nAnna Berg <anna@example.org> wrote:",
  "In message <abc123@mail.example.org>, Anna Berg writes:",
  "In <abc123@mail.example.org>, on 05/03/21\n   at 10:15 AM, anna@example.org said:",
  "Anna Berg <anna@example.org> [210503 10:15]:",
  "On Monday 03 May 2021 10:15:00 Anna Berg wrote:",
  "On Mon, 3 May 2021, Anna Berg wrote:",
  "At 10:15 AM -0400 5/3/01, Anna Berg wrote:",
  "Anna Berg (anna@example.org) said on 3 May 2021:",
  "    On Monday, May 3, 2021, 10:15:00 AM GMT+2, Anna Berg <anna@example.org> wrote:",
  "Quoting Anna Berg (anna@example.org):",
  "Quoting Anna Berg <anna@example.org>:",
  "* Anna Berg <anna@example.org> [2021-05-03 10:15]:",
  "+ Anna Berg <anna@example.org> [2021-05-03 10:15]:",
  "Anna Berg <anna@example.org>:",
  "Thus spake Anna Berg (anna@example.org) on 2021-05-03:",
  "2021-05-03 10:15 GMT+02:00 Anna Berg <anna@example.org>:",
  "2021/5/3 Anna Berg <anna@example.org>",
  "---- On Mon, 03 May 2021 10:15:00 +0200 Anna Berg <anna@example.org> wrote ----",
  "Anna Berg schrieb am 03.05.2021 um 10:15:",
  "Am 03.05.2021 um 10:15 schrieb Anna Berg:",
  "Am Mo., 3. Mai 2021 um 10:15 Uhr schrieb Anna Berg <\nanna@example.org>:",
  "Zitat von Anna Berg <anna@example.org>:",
  "Le lundi 3 mai 2021 à 10:15, Anna Berg a écrit :",
  "Le lun. 3 mai 2021 à 10:15, Anna Berg <anna@example.org> a\nécrit :",
  "Selon Anna Berg <anna@example.org>:",
  "El lun, 3 may 2021 a las 10:15, Anna Berg (<anna@example.org>) escribió:",
  "Il giorno lun 3 mag 2021 alle ore 10:15 Anna Berg <anna@example.org> ha scritto:",
  "Em seg., 3 de mai. de 2021 às 10:15, Anna Berg <anna@example.org> escreveu:",
  "Op ma 3 mei 2021 om 10:15 schreef Anna Berg <anna@example.org>:",
  "Op 3 mei 2021 om 10:15 heeft Anna Berg <anna@example.org> het volgende geschreven:",
  "Den mån 3 maj 2021 kl 10:15 skrev Anna Berg <anna@example.org>:",
  "Den 03.05.2021 10:15, skrev Anna Berg:",
  "pon., 3 maj 2021 o 10:15 Anna Berg <anna@example.org> napisał(a):",
  "W dniu 03.05.2021 o 10:15, Anna Berg pisze:",
  "Dne 03. 05. 21 v 10:15 Anna Berg napsal(a):",
  "Dňa 3. 5. 2021 o 10:15 Anna Berg napísal:",
  "ma 3. toukok. 2021 klo 10.15 Anna Berg (anna@example.org) kirjoitti:",
  "Anna Berg <anna@example.org> ezt írta (időpont: 2021. máj. 3., H, 10:15):",
  "În lun., 3 mai 2021 la 10:15, Anna Berg <anna@example.org> a scris:",
  "3 Mayıs 2021 Pazartesi tarihinde Anna Berg <anna@example.org> yazdı:",
  "Anna Berg <anna@example.org>, 3 May 2021 Pzt, 10:15 tarihinde şunu yazdı:",
  "пн, 3 мая 2021 г. в 10:15, Anna Berg <anna@example.org>:",
  "03.05.2021 10:15, Анна Берг пишет:",
  "Анна Берг написала:",
  "пн, 3 трав. 2021 о 10:15 Anna Berg <anna@example.org> пише:",
  "Στις Δευ, 3 Μαΐ 2021 στις 10:15, ο χρήστης Anna Berg <anna@example.org> έγραψε:",
  "‫בתאריך יום ב׳, 3 במאי 2021 ב-10:15 מאת ‪Anna Berg‬‏ <‪anna@example.org‬‏>:‬",
  "في الاثنين، 3 مايو 2021 في 10:15 ص تمت كتابة ما يلي بواسطة Anna Berg <anna@example.org>:",
  "在 2021年5月3日，上午10:15，Anna Berg <anna@example.org> 写道：",
  "Anna Berg <anna@example.org> 於 2021年5月3日 週一 上午10:15寫道：",
  "2021年5月3日(月) 10:15 Anna Berg <anna@example.org>:",
  "Anna Bergさんは書きました:",
  "2021년 5월 3일 (월) 오전 10:15, Anna Berg <anna@example.org>님이 작성:",
  "Vào Th 2, 3 thg 5, 2021 vào lúc 10:15 Anna Berg <anna@example.org> đã viết:",
];

describe("an attribution", () => {
  it.each(introductions)("is removed above the quote that it introduces: %s", (line) => {
    const text = `Thank you for that.\n\n${line}\n> Shall we meet?\n> At noon?\n\nYes, at noon.\n`;
    const { clean, removed } = cleanText(text);
    expect(clean).toBe("Thank you for that.\n\nYes, at noon.");
    expect(removed.map(({ kind }) => kind)).toEqual(["attribution", "quote"]);
    expect(text.slice(removed[0]!.start, removed[0]!.end)).toBe(`${line}\n`);
  });

  it.each([
    "On Mon, 3 May 2021 at 10:15, Anna Berg <anna@example.org> wrote:",
    "On Mon, May 3, 2021 at 10:15 AM Anna Berg <\nanna@example.org> wrote:",
    "Am 03.05.2021 um 10:15 schrieb Anna Berg <anna@example.org>:",
    "Den 3. mai 2021 kl. 10.15 skrev Anna Berg <anna@example.org<mailto:anna@example.org>>:",
    "Anna Berg <anna@example.org> wrote:",
    'On 5/3/21, 10:15, "WG on behalf of Anna Berg" <wg-bounces@example.org on behalf of anna@example.org> wrote:',
    "    On Monday, May 3, 2021, 10:15:00 AM GMT+2, Anna Berg <anna@example.org> wrote:",
    "2021-05-03 10:15 GMT+02:00 Anna Berg <anna@example.org>:",
  ])("that is unmistakable takes the unmarked old mail below it along: %s", (line) => {
    const text = `I am fine with that.\n\n${line}\n\nShall we merge the two drafts?\n\nAnna\n`;
    expect(cleanText(text).clean).toBe("I am fine with that.");
  });

  it("with nothing of the author's above it leaves the words below it", () => {
    const text = "On 3 May 2021 10:15, Anna Berg <anna@example.org> wrote:\n\nI agree with every word.\n";
    expect(cleanText(text).clean).toBe("I agree with every word.");
  });

  it("whose quote is only indented takes the indented lines", () => {
    const text =
      "On 3 May 2021 10:15, Anna Berg wrote:\n\n    Shall we meet at noon in the small room?\n\nYes, please.\n";
    expect(cleanText(text).clean).toBe("Yes, please.");
  });

  it("directly below the author's words is removed without them", () => {
    const text = "Sounds good!\nOn 3 May 2021 10:15, Anna <a@b.org> wrote:\n> Shall we?\n";
    expect(cleanText(text).clean).toBe("Sounds good!");
  });

  it.each([
    "On the other hand, as the second draft says and she wrote:",
    "On this day\n\nI wrote something\n\nwhich was very interesting.",
    "The specification says:",
    "I have to disagree with what the chair wrote:",
    "Here is what section 3 says:",
    "There are two points that I have already written:",
  ])("is not seen in prose: %s", (prose) => {
    expect(cleanText(`${prose}\n\nMore of my own words.\n`).clean).toBe(`${prose}\n\nMore of my own words.`);
    expect(cleanText(`${prose}\n\n> a quote\n\nMore.\n`).clean).toBe(`${prose}\n\nMore.`);
  });

  it("that names only a person stays where no quote follows", () => {
    const text = "Anna wrote:\n\nthe whole parser, and it shows.\n";
    expect(cleanText(text).clean).toBe(text.trim());
  });
});
