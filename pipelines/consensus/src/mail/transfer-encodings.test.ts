import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { takeEmbeddedFiles } from "./embedded-files.ts";
import { decodeBase64, decodeQuotedPrintable, decodeTransfer, readEncoding } from "./transfer-encodings.ts";

const base64 = (text: string) => decodeBase64(Buffer.from(text, "latin1"));
const quoted = (text: string) => decodeQuotedPrintable(Buffer.from(text, "latin1")).toString("latin1");

describe("Base64", () => {
  it("of any bytes comes back, in lines, without padding and in pieces", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 76 }), (raw, width) => {
        const encoded = Buffer.from(raw).toString("base64");
        const lines = encoded.replace(new RegExp(`.{${width}}`, "g"), "$&\r\n");
        expect([...base64(lines).bytes]).toEqual([...raw]);
        expect([...base64(encoded.replace(/=+$/, "")).bytes]).toEqual([...raw]);
        expect([...base64(`${encoded}\n${encoded}`).bytes]).toEqual([...raw, ...raw]);
      }),
    );
  });

  it("may have blanks and stray characters in it", () => {
    expect(base64("SGVs bG8s\r\n  IHdvcmxk\n").bytes.toString()).toBe("Hello, world");
    const stray = base64("SGVsbG8sIHdvcmxkLCBo!b3cgYXJlIHlvdT8=");
    expect([stray.bytes.toString(), stray.flags]).toEqual([
      "Hello, world, how are you?",
      ["encoding.broken"],
    ]);
  });

  it("is not the footer that a list wrote below it", () => {
    const footer = "_______________________________________________\nmailing list of the working group\n";
    expect(
      base64(
        `SGVsbG8sIHdvcmxkLCBob3cgYXJlIHlvdSB0b2RheT8gSSBhbSBmaW5lLCB0aGFuayB5b3Uh\nSGVsbG8h\n${footer}`,
      ).bytes.toString(),
    ).toBe("Hello, world, how are you today? I am fine, thank you!Hello!");
  });

  it("ends at its padding, however many words follow", () => {
    const footer =
      "This footer of a list has more letters than the short mail above.\nSo does its second line.\n";
    expect(base64(`SGVsbG8gd29ybGQ=\n${footer}`).bytes.toString()).toBe("Hello world");
    expect(base64(`SGVsbG8gd29ybGQ=\nU2Vjb25kIHBhcnQu\n`).bytes.toString()).toBe("Hello worldSecond part.");
  });

  it("that is plain text stays plain text", () => {
    const text = "This was never encoded, was it? No, it was not.\nNot at all, and nobody noticed.\n";
    expect(base64(text)).toEqual({ bytes: Buffer.from(text), flags: ["encoding.mislabelled"] });
  });
});

describe("quoted-printable", () => {
  it.each([
    ["a=3Db", "a=b"],
    ["a=3db", "a=b"],
    ["soft=\r\nbreak", "softbreak"],
    ["soft=\nbreak", "softbreak"],
    ["soft=  \r\nbreak", "softbreak"],
    ["end=", "end"],
    ["=ZZ =", "=ZZ "],
    ["100=% sure", "100=% sure"],
    ["=C3=B6", "\xc3\xb6"],
    ["under_score", "under_score"],
    ["nothing", "nothing"],
  ])("%j is %j", (text, expected) => expect(quoted(text)).toBe(expected));

  it("of any bytes comes back", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (raw) => {
        const encoded = [...raw].map((byte) => `=${byte.toString(16).padStart(2, "0")}`).join("=\r\n");
        expect([...decodeQuotedPrintable(Buffer.from(encoded))]).toEqual([...raw]);
      }),
    );
  });
});

describe("the name of an encoding", () => {
  it.each([
    ["Quoted-Printable", "quoted-printable"],
    ["quoted-printable;", "quoted-printable"],
    [" BASE64 ", "base64"],
    ["x-uuencode", "uuencode"],
    ["7-bit", "none"],
    ["8bits", "none"],
    ["text/html", "none"],
    ["", "none"],
  ])("%j is %s", (name, kind) => expect(readEncoding(name)).toBe(kind));
});

const encodeUu = (bytes: Buffer) => {
  const sign = (value: number) => (value === 0 ? "`" : String.fromCharCode(value + 32));
  const lines: string[] = [];
  for (let i = 0; i < bytes.length; i += 45) {
    const piece = bytes.subarray(i, i + 45);
    const padded = Buffer.concat([piece, Buffer.alloc((3 - (piece.length % 3)) % 3)]);
    let line = sign(piece.length);
    for (let k = 0; k < padded.length; k += 3) {
      const bits = padded.readUIntBE(k, 3);
      line += [18, 12, 6, 0].map((shift) => sign((bits >> shift) & 63)).join("");
    }
    lines.push(line);
  }
  return `begin 644 a file.bin\n${lines.map((line) => `${line}\n`).join("")}\`\nend\n`;
};

describe("files in the middle of a text", () => {
  it("are taken out of it, whatever their bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (raw) => {
        const text = Buffer.from(`before\n${encodeUu(Buffer.from(raw))}after\n`);
        const { rest, files } = takeEmbeddedFiles(text);
        expect(rest.toString()).toBe("before\nafter\n");
        expect(files.map((file) => [file.filename, [...file.bytes]])).toEqual([["a file.bin", [...raw]]]);
      }),
    );
  });

  it("are not mistaken for words that begin alike", () => {
    const text = Buffer.from(
      "begin 644 is how a file begins\nThis is prose, not a file.\nend\nbegin with me\n",
    );
    expect(takeEmbeddedFiles(text)).toEqual({ rest: text, files: [] });
  });

  it("may be in yEnc", () => {
    const bytes = Buffer.from([0, 19, 61, 200, 255]);
    const body = [...bytes].flatMap((byte) => {
      const value = (byte + 42) & 255;
      return [0, 10, 13, 61].includes(value) ? [61, (value + 64) & 255] : [value];
    });
    const head = Buffer.from("hi\n=ybegin line=128 size=5 name=x.bin\n");
    const { rest, files } = takeEmbeddedFiles(
      Buffer.concat([head, Buffer.from(body), Buffer.from("\n=yend size=5\nbye")]),
    );
    expect(rest.toString()).toBe("hi\nbye");
    expect(files).toEqual([{ filename: "x.bin", bytes }]);
  });

  it("are what an x-uuencode part is made of", () => {
    expect(decodeTransfer(Buffer.from(encodeUu(Buffer.from("hello"))), "x-uuencode").bytes.toString()).toBe(
      "hello",
    );
  });
});
