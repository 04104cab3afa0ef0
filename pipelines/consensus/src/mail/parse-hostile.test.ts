import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseMail } from "./parse.ts";

const megabyte = (piece: string) => piece.repeat(Math.ceil(1_000_000 / piece.length));
const head = "From: a@b.c\nSubject: x\n";
const field = (name: string, value: string) => `${name}: ${value}\n\nx`;
const body = (type: string, text: string) => `${head}Content-Type: ${type}\n\n${text}`;
const encoded = (encoding: string, text: string) =>
  `${head}Content-Transfer-Encoding: ${encoding}\n\n${text}`;

/** Inputs of a megabyte each on which a careless reader is quadratic, recursive or endless. */
const hostile: Record<string, () => string> = {
  zeros: () => megabyte("\0"),
  "carriage returns": () => megabyte("a\r"),
  "empty fields": () => megabyte("a:\n"),
  "lines without a colon": () => `A: b\n${megabyte("abc def\n")}`,
  "one endless fold": () => `Subject: x\n${megabyte(" b\n")}`,
  "one endless name": () => megabyte("a"),
  "encoded words that never end": () => field("Subject", megabyte("=?utf-8?q?a")),
  "encoded words that never begin": () => field("Subject", megabyte("=?")),
  "many encoded words": () => field("Subject", megabyte("=?utf-8?b?YQ==?= ")),
  "open comments": () => field("From", megabyte("(")),
  "open quotes": () => field("From", megabyte('"a,')),
  "open groups": () => field("From", `${megabyte("a:")};`),
  "hidden addresses": () => field("From", megabyte(" at ")),
  "many references": () => field("References", megabyte("<a@b> ")),
  "open brackets": () => field("References", megabyte("<")),
  "many parameters": () => field("Content-Type", `text/plain; ${megabyte("a=b;")}`),
  "many continuations": () => field("Content-Type", `text/plain; ${megabyte("name*0=a;")}`),
  "comments in a type": () => field("Content-Type", `text/plain; ${megabyte(" (")}`),
  "a long file name": () => field("Content-Disposition", `attachment; filename="${megabyte("/")}"`),
  "many parts": () => body("multipart/mixed; boundary=b", megabyte("--b\n\n")),
  "boundaries that begin alike": () => body("multipart/mixed; boundary=b", megabyte("--bx\n")),
  "the same boundary again and again": () =>
    body("multipart/mixed; boundary=b", megabyte("--b\nContent-Type: multipart/mixed; boundary=b\n\n")),
  "multiparts in multiparts": () =>
    Array.from(
      { length: 15_000 },
      (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n`,
    ).join(""),
  "mails in mails": () => megabyte("Content-Type: message/rfc822\n\n"),
  "no Base64": () => encoded("base64", megabyte("!")),
  padding: () => encoded("base64", megabyte("=")),
  "escapes without end": () => encoded("quoted-printable", megabyte("= ")),
  "a soft break of blanks": () => encoded("quoted-printable", `=${megabyte(" ")}`),
  "beginnings of files": () => `${head}\n${megabyte("begin 644 a\n")}`,
  "a file of empty lines": () => `${head}\nbegin 644 a\n${megabyte("`\n")}`,
  "yEnc without end": () => `${head}\n${megabyte("=ybegin line=1 size=1 name=a\n")}`,
  "open elements": () => body("text/html", megabyte("<div><b>")),
  "closed elements": () => body("text/html", megabyte("</div></x>")),
  "quotes in quotes": () => body("text/html", megabyte("<blockquote>x")),
  "lists in lists": () => body("text/html", megabyte("<ul><li>x")),
  "open links": () => body("text/html", megabyte("<a href=http://x>y")),
  "blanks that do not break": () => body("text/html", `${megabyte("&nbsp;")}x`),
  "less-than signs": () => body("text/html", megabyte("<")),
  ampersands: () => body("text/html", megabyte("&")),
  attributes: () => body("text/html", `<a ${megabyte("b=c ")}`),
  "a style of blanks": () => body("text/html", `<p style="${megabyte("display ")}">x`),
  "open comments of a page": () => body("text/html", megabyte("<!--")),
  "flowed quotes": () => body("text/plain; format=flowed", megabyte("> a \n>> b \n")),
  "one flowed paragraph": () => body("text/plain; format=flowed", megabyte("a \n")),
  "enriched signs": () => body("text/enriched", megabyte("<a")),
  "HZ without end": () => body("text/plain; charset=hz-gb-2312", megabyte("~{a\n")),
  "UTF-7 without end": () => body("text/plain; charset=utf-7", `+${megabyte("A")}`),
  "escape sequences": () => `${head}\n${megabyte("\u001b$Baa\u001b(B")}`,
  "bytes of no charset": () => `${head}\n${megabyte("\xe9\x81\xff ")}`,
  blanks: () => `${head}\n${megabyte(" ")}x`,
};

/** The timeout ends a parser that hangs; that its work grows no faster than the mail is in test/consensus/poison.test.ts. */
describe("a megabyte of malice is read, to its end", { timeout: 300_000 }, () => {
  it.each(Object.keys(hostile))("%s", (name) => {
    const raw = Buffer.from(hostile[name]!(), "latin1");
    const mail = parseMail(raw);
    expect(mail.text.length).toBeLessThanOrEqual(raw.length * 4);
    expect(mail.attachments.length).toBeLessThanOrEqual(2001);
    expect(mail.references.length).toBeLessThanOrEqual(500);
  });
});

const snippets = [
  "From: ",
  "Content-Type: multipart/mixed; boundary=b\n",
  "Content-Type: text/html\n",
  "Content-Type: message/rfc822\n",
  "\n",
  "\r\n",
  "\r",
  "--b\n",
  "--b--\n",
  "Content-Transfer-Encoding: base64\n",
  "charset=utf-7",
  "=?utf-8?q?",
  "?=",
  "\0",
  "\xff",
  "\u001b$B",
  "<p>",
  "&#x110000;",
  "&#xd800;",
  "+2AA-",
  "begin 644 a\n",
  "end\n",
  " ",
  ":",
  ";",
  '"',
  "(",
  "<",
  "Subject: ",
  "Date: Fri, 6 Apr 99999 15:43:55 +9999\n",
  "Received: x; 1 Jan 1 0:0:0\n",
  "Message-ID: <",
  "References: <a@b",
  "a",
  "\ud83d",
];

describe("any bytes are a mail", () => {
  const isStorable = (value: unknown) => {
    const json = JSON.stringify(value);
    expect(json).not.toMatch(/\\u0000|\\ud[89a-f]/i);
  };

  it("when they are noise", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => isStorable(parseMail(Buffer.from(bytes)))),
    );
  });

  it("when they are pieces of mails", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...snippets), { maxLength: 60 }), (pieces) => {
        const mail = parseMail(Buffer.from(pieces.join(""), "latin1"));
        isStorable(mail);
        expect(mail.flags).toEqual([...new Set(mail.flags)].sort());
        expect(mail.date === null || new Date(mail.date).toISOString() === mail.date).toBe(true);
        expect(parseMail(Buffer.from(pieces.join(""), "latin1"))).toEqual(mail);
      }),
      { numRuns: 300 },
    );
  });
});
