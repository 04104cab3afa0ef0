import { describe, expect, it } from "vitest";
import { cleanText } from "./clean.ts";

const old = "Shall we publish the draft?\n\nRegards\nAnna\n";

describe("an old mail below a header block is removed:", () => {
  it.each([
    [
      "Outlook, with a mark",
      "-----Original Message-----\nFrom: Anna Berg [mailto:anna@example.org]\nSent: Monday, May 3, 2021 10:15 AM\nTo: Bert\nSubject: RE: draft",
    ],
    [
      "Outlook, with a rule",
      "________________________________\nFrom: Anna Berg <anna@example.org>\nSent: Monday, May 3, 2021 10:15 AM\nTo: Bert\nCc: Carl\nSubject: RE: draft",
    ],
    [
      "Outlook, with neither",
      "From: Anna Berg <anna@example.org>\nSent: Monday, May 3, 2021 10:15 AM\nTo: Bert <bert@example.org>\nSubject: RE: draft",
    ],
    [
      "Outlook in bold",
      "*From:* Anna Berg\n*Sent:* Monday, May 3, 2021 10:15 AM\n*To:* Bert\n*Subject:* RE: draft",
    ],
    [
      "Outlook for Mac",
      "From: Anna <anna@example.org>\nReply-To: List <l@example.org>\nDate: Monday, 3 May 2021 at 10:15\nTo: Bert\nSubject: draft",
    ],
    [
      "German",
      "-----Ursprüngliche Nachricht-----\nVon: Anna\nGesendet: Montag, 3. Mai 2021 10:15\nAn: Bert\nBetreff: AW: Entwurf",
    ],
    [
      "German without a mark",
      "Von: Anna\nGesendet: Montag, 3. Mai 2021 10:15\nAn: Bert\nBetreff: AW: Entwurf",
    ],
    ["French", "De : Anna\nEnvoyé : lundi 3 mai 2021 10:15\nÀ : Bert\nObjet : RE: projet"],
    [
      "French with a mark",
      "-----Message d'origine-----\nDe : Anna\nEnvoyé : lundi 3 mai\nÀ : Bert\nObjet : x",
    ],
    ["Spanish", "De: Anna\nEnviado el: lunes, 3 de mayo de 2021 10:15\nPara: Bert\nAsunto: RE: borrador"],
    ["Italian", "Da: Anna\nInviato: lunedì 3 maggio 2021 10:15\nA: Bert\nOggetto: R: bozza"],
    ["Portuguese", "De: Anna\nEnviada em: segunda-feira, 3 de maio de 2021\nPara: Bert\nAssunto: RES: x"],
    ["Dutch", "Van: Anna\nVerzonden: maandag 3 mei 2021 10:15\nAan: Bert\nOnderwerp: RE: concept"],
    ["Swedish", "Från: Anna\nSkickat: den 3 maj 2021 10:15\nTill: Bert\nÄmne: SV: utkast"],
    ["Danish", "Fra: Anna\nSendt: 3. maj 2021 10:15\nTil: Bert\nEmne: SV: udkast"],
    ["Finnish", "Lähettäjä: Anna\nLähetetty: 3. toukokuuta 2021 10:15\nVastaanottaja: Bert\nAihe: VS: x"],
    ["Polish", "Od: Anna\nWysłano: poniedziałek, 3 maja 2021 10:15\nDo: Bert\nTemat: ODP: szkic"],
    ["Czech", "Od: Anna\nOdesláno: pondělí 3. května 2021 10:15\nKomu: Bert\nPředmět: RE: návrh"],
    ["Russian", "От: Анна\nОтправлено: 3 мая 2021 г. 10:15\nКому: Берт\nТема: RE: проект"],
    ["Chinese", "发件人: Anna\n发送时间: 2021年5月3日 10:15\n收件人: Bert\n主题: 回复: 草案"],
    ["Japanese", "差出人: Anna\n送信日時: 2021年5月3日 10:15\n宛先: Bert\n件名: RE: 草案"],
    ["Korean", "보낸 사람: Anna\n보낸 날짜: 2021년 5월 3일\n받는 사람: Bert\n제목: RE: 초안"],
    ["Sent first", "Sent: Monday, May 3, 2021 10:15 AM\nFrom: Anna Berg\nTo: Bert\nSubject: RE: draft"],
    ["Date first", "Date: Mon, 3 May 2021 10:15:00 +0200\nFrom: anna@example.org\nSubject: Re: draft"],
    ["Subject first", "Subject: RE: draft\nDate: 3 May 2021\nFrom: Anna Berg\nTo: Bert"],
    ["a glued mark", "-----Original message-----From: Anna Berg\nSent: 3 May 2021\nTo: Bert\nSubject: x"],
    ["a French mark", "----- Mail original -----\nDe: Anna\nEnvoyé: Lundi 3 Mai 2021\nObjet: projet"],
    ["a Danish mark", "-----Oprindelig besked-----\nFra: Anna\nSendt: 3. maj 2021\nTil: Bert\nEmne: x"],
    ["a mark alone", "-------- Original Message --------"],
    ["a bold mark", "*-------- Original Message --------*"],
    [
      "a folded subject",
      "-----Original Message-----\nFrom: Anna\nSent: 3 May 2021\nTo: Bert\nSubject: a very long\nsubject of a mail\nCc: Carl",
    ],
    [
      "blank lines between the fields",
      "-----Original Message-----\nFrom: Anna\n\nSent: 3 May 2021\n\nTo: Bert\n\nSubject: draft",
    ],
  ])("%s", (_, block) => {
    const { clean, removed } = cleanText(`I am against it.\n\nBert\n\n${block}\n\n${old}`);
    expect(clean).toBe("I am against it.\n\nBert");
    expect(removed.map(({ kind }) => kind)).toEqual(["header-block", "quote"]);
  });

  it("also without a blank line above or below", () => {
    const block = "From: Anna\nSent: Monday, 3 May 2021\nTo: Bert\nSubject: draft";
    expect(cleanText(`I am against it.\n${block}\n${old}`).clean).toBe("I am against it.");
  });

  it("but a list of three fields of a form stays", () => {
    const text = "Please send me:\n\nSubject: what you want\nDate: when\nTo: whom\n";
    expect(cleanText(text).clean).toBe(text.trim());
  });

  it("Proton Mail, which sets an attribution below its mark", () => {
    const mark =
      "‐‐‐‐‐‐‐ Original Message ‐‐‐‐‐‐‐\nOn Monday, May 3rd, 2021 at 10:15 AM, Anna <a@b.org> wrote:";
    expect(cleanText(`I am against it.\n\n${mark}\n\n${old}`).clean).toBe("I am against it.");
  });

  it("but where the old mail is quoted, the author's words below it stay", () => {
    const block = "From: Anna\nSent: Monday, 3 May 2021\nTo: Bert\nSubject: draft";
    const { clean } = cleanText(`Hello.\n\n${block}\n\n> Shall we publish?\n\nNo.\n`);
    expect(clean).toBe("Hello.\n\nNo.");
  });

  it("but a patch keeps its words below the author that it names", () => {
    const text = "From: Anna <a@b.org>\nDate: Mon, 3 May 2021 10:15:00 +0200\nSubject: fix\n\nThe fix.\n";
    expect(cleanText(text).clean).toBe("The fix.");
  });
});

describe("a forwarded mail", () => {
  it.each([
    "---------- Forwarded message ---------",
    "---------- Forwarded message ----------",
    "-------- Forwarded Message --------",
    "Begin forwarded message:",
    "----- Forwarded message from Anna Berg <anna@example.org> -----",
    "------- Forwarded Message",
    "----- Forwarded by Anna Berg/ACME on 05/03/2021 10:15 AM -----",
    "---------- Weitergeleitete Nachricht ----------",
    "Anfang der weitergeleiteten Nachricht:",
    "---------- Mensaje reenviado ----------",
    "---------- Message transféré ---------",
    "---------- Przekazana wiadomość ---------",
    "-------- Пересылаемое сообщение --------",
    "---------- 转发的邮件 ---------",
  ])("is removed below the author's words: %s", (mark) => {
    const text = `For your information.\n\n${mark}\nFrom: Anna\nDate: 3 May 2021\nSubject: x\nTo: Bert\n\n${old}`;
    const { clean, removed } = cleanText(text);
    expect(clean).toBe("For your information.");
    expect([...new Set(removed.map(({ kind }) => kind))]).toEqual(["forward"]);
  });

  it("is the content where the author wrote nothing else", () => {
    const mark = "---------- Forwarded message ---------\nFrom: Anna\nDate: 3 May 2021\nSubject: x\nTo: Bert";
    expect(cleanText(`${mark}\n\n${old}`).clean).toBe(old.trim());
  });

  it("ends where its mailer says so", () => {
    const text =
      "See below.\n\n----- Forwarded message from Anna -----\n\nText.\n\n----- End forwarded message -----\n\nWell?\n";
    expect(cleanText(text).clean).toBe("See below.\n\nWell?");
  });

  it("is not seen in a sentence about one", () => {
    const text = "The forwarded message was cut.\n\nForwarded message: see above.";
    expect(cleanText(text).clean).toBe(text);
  });
});

describe("armour", () => {
  it("is removed around a signed text, which stays as it is", () => {
    const text =
      "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nI agree.\n\n- -- \nAnna\n-----BEGIN PGP SIGNATURE-----\nVersion: GnuPG v2\n\niQEzBAEBCAAdFiEE\n=abcd\n-----END PGP SIGNATURE-----\n";
    const { clean, removed } = cleanText(text);
    expect(clean).toBe("I agree.");
    expect(removed.map(({ kind }) => kind)).toEqual(["armour", "signature", "armour"]);
  });

  it("keeps dash-escaped lines verbatim", () => {
    const text = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\n- - one\n- - two\n\nThat is all of it.";
    expect(cleanText(text).clean).toBe("- - one\n- - two\n\nThat is all of it.");
  });

  it("that was cut off takes nothing but itself", () => {
    const text = "I agree.\n\n-----BEGIN PGP SIGNATURE-----\n\niQEzBAEBCAAdFiEE\n\nWords after it.";
    expect(cleanText(text).clean).toBe("I agree.\n\nWords after it.");
  });
});
