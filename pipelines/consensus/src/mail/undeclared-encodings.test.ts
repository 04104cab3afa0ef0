import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseMail } from "./parse.ts";
import { decodeUndeclared } from "./undeclared-encodings.ts";

const read = (body: string): string => decodeUndeclared(Buffer.from(body, "latin1")).bytes.toString("utf8");
const isTouched = (body: string): boolean => decodeUndeclared(Buffer.from(body, "utf8")).flags.length > 0;
const inLines = (text: string | Buffer, width = 76): string =>
  Buffer.from(text as string)
    .toString("base64")
    .replace(new RegExp(`.{${width}}`, "g"), "$&\n")
    .trimEnd();

const letter =
  "Hello everybody,\n\nI looked at the new release over the weekend. It builds, and all of the tests pass.\n\nAnn\n";
const footer =
  "_______________________________________________\nExample mailing list\nhttps://example.org/list?a=3D&b=20\n";

describe("Base64 that nobody declared", () => {
  it.each([60, 64, 72, 76])("is decoded in lines of %i characters", (width) => {
    expect(read(inLines(letter, width))).toBe(letter);
  });

  it("is decoded before a plain footer, which stays as it is", () => {
    expect(read(`${inLines(letter)}\n${footer}`)).toBe(letter + footer);
    expect(read(`\n\n${inLines(letter)}\n\n${footer}`)).toBe(`${letter}\n${footer}`);
  });

  it("is decoded when it is one line and nothing else", () => {
    const short = "Thanks, that did it. I will close the ticket.\n";
    expect(read(inLines(short))).toBe(short);
    expect(isTouched(`${inLines(short)}\nWhat does this mean?`)).toBe(false);
  });

  it("is decoded in other languages and older charsets", () => {
    expect(
      read(inLines("Grüße aus München, und vielen Dank für die schnelle Antwort! ".repeat(2))),
    ).toContain("Grüße aus München");
    const latin = Buffer.from(
      "Grüße aus München, und vielen Dank für die schnelle Antwort! ".repeat(2),
      "latin1",
    );
    expect(decodeUndeclared(Buffer.from(inLines(latin))).bytes).toEqual(latin);
  });

  it("is shown as text by a mail that lost its headers, and the mail says so", () => {
    const mail = parseMail(Buffer.from(`From: ann at example.org (Ann)\nSubject: x\n\n${inLines(letter)}\n`));
    expect(mail.text).toBe(letter);
    expect(mail.flags).toContain("encoding.mislabelled");
  });

  it.each([
    ["a picture", inLines(Buffer.from(Array.from({ length: 300 }, (_, at) => (at * 73) % 256)))],
    ["a block in the middle of a mail", `Please decode this:\n\n${inLines(letter)}`],
    ["a key", `-----BEGIN CERTIFICATE-----\n${inLines(letter)}\n-----END CERTIFICATE-----`],
    ["lines of uneven length", inLines(letter).replace(/^(.{40})/, "$1\n")],
    ["one long word", "Donaudampfschifffahrtsgesellschaftskapitaenswitwenrentenauszahlung"],
    ["hashes", "d41d8cd98f00b204e9800998ecf8427ed41d8cd98f00b204e9800998ecf8427e\n".repeat(4)],
  ])("is not seen in %s", (_, body) => {
    expect(isTouched(body)).toBe(false);
  });

  it("stays as it is when the mail says that it is plain", () => {
    const body = inLines(letter);
    const raw = `Content-Type: text/plain\nContent-Transfer-Encoding: 7bit\n\n${body}`;
    expect(parseMail(Buffer.from(raw)).text).toBe(body);
  });
});

describe("quoted-printable that nobody declared", () => {
  const long =
    "This line was so long that the program which sent it broke it here, in th=\ne middle of a word.\n";

  it.each([
    ["a broken line and an escape", `${long}a =3D b\n`, "in the middle of a word.\na = b\n"],
    ["two broken lines", long + long, "in the middle of a word.\nThis line"],
    ["accented letters", "Gr=C3=BC=C3=9Fe aus M=C3=BCnchen\n", "Grüße aus München\n"],
    ["typographic marks", "It=E2=80=99s the client=E2=80=99s handle.\n", "It’s the client’s handle.\n"],
    ["empty lines with a blank", `${long}=20\nAnn\n`, "of a word.\n \nAnn\n"],
    ["a plain footer", `${long}a =3D b\n${footer}`, footer],
  ])("is decoded with %s", (_, body, words) => {
    expect(read(body)).toContain(words);
    expect(isTouched(body)).toBe(true);
  });

  it.each([
    ["a setting", "Set x=20 and y=3D, then run it.\nwidth=20\nheight=20\n"],
    ["an address", "See https://example.org/?a=3D&b=C3 and https://example.org/?q=20\n"],
    ["a line under a heading", `${"=".repeat(70)}\nResult\n${"=".repeat(70)}\n`],
    ["one accented letter", "M=C3=BCnchen\n"],
    ["a broken line beside a plain equals sign", `${long}if (a = b) and =3D\n`],
    ["one broken line", long],
    ["escapes of control characters", `${long}=00=01=02\n`],
    ["short lines that end so", "total =\n  a + b\nrest =\n  c =3D d\n"],
  ])("is not seen in %s", (_, body) => {
    expect(isTouched(body)).toBe(false);
  });
});

describe("whatever the text is", () => {
  it("it is untouched without an equals sign and without lines of Base64", () => {
    const words = fc.array(fc.string({ unit: "grapheme", maxLength: 30 }), { maxLength: 30 });
    fc.assert(
      fc.property(words, (parts) => {
        const body = `Hi,\n${parts.join("\n").replaceAll("=", "-")}`;
        expect(read(Buffer.from(body, "utf8").toString("latin1"))).toBe(body);
        expect(isTouched(body)).toBe(false);
      }),
    );
  });

  it("code and settings with equals signs are untouched", () => {
    const assignment = fc
      .tuple(fc.stringMatching(/^[a-z]{1,8}$/), fc.stringMatching(/^[0-9A-F]{2}$/))
      .map(([name, value]) => `${name}=${value}`);
    fc.assert(
      fc.property(fc.array(assignment, { maxLength: 20 }), (lines) => {
        expect(isTouched(lines.join("\n"))).toBe(false);
        expect(isTouched(`https://example.org/?${lines.join("&")}\n`)).toBe(false);
      }),
    );
  });

  it("what was encoded comes back", () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 60, mode: "words" }), (words) => {
        const text = `${words}, and this is what everybody said about it on the list.\n`;
        expect(read(inLines(text))).toBe(text);
      }),
    );
  });

  it.each([
    ["letters", "A"],
    ["lines of Base64", `${"QUJD".repeat(19)}\n`],
    ["equals signs", "="],
    ["soft breaks", "=\n"],
    ["escapes", "=41"],
    ["blanks after equals signs", "=    "],
    ["full lines", `${"a".repeat(75)}=\n`],
    ["empty lines", "\n"],
  ])("a megabyte of %s is read", (_, piece) => {
    const body = Buffer.from(piece.repeat(Math.ceil(1_000_000 / piece.length)));
    expect(decodeUndeclared(body).bytes.length).toBeLessThanOrEqual(body.length);
  });
});
