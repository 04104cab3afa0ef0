import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectLinear } from "../../../test/support/growth.ts";
import { fingerprint } from "./fingerprint.ts";

const of = (message: string, more: { code?: string; stage?: string; stack?: string } = {}) =>
  fingerprint({ code: "http.503", message, ...more });

function expectShared(messages: readonly string[]): void {
  const [first = "", ...others] = messages;
  for (const other of others) expect(of(other), `${other} and ${first}`).toBe(of(first));
}

const hex = (lengths: { minLength: number; maxLength: number }) =>
  fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), ...lengths });
const plainText = fc.string({ maxLength: 30 }).map((text) => text.replace(/["\\]/g, "-"));
const name = fc.string({
  unit: fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz"),
  minLength: 1,
  maxLength: 12,
});
const moment = fc.date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true });
const variable = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.uuid(),
  fc.uuid().map((id) => id.toUpperCase()),
  hex({ minLength: 8, maxLength: 64 }),
  hex({ minLength: 1, maxLength: 8 }).map((digits) => `0x${digits}`),
  plainText.map((text) => `"${text}"`),
  fc.tuple(name, name).map(([user, host]) => `${user}@${host}.org`),
  fc.webUrl({ withQueryParameters: true, withFragments: true }).map((url) => url.replace(/\W+$/, "")),
  fc.ipV4(),
  moment.map((date) => date.toISOString()),
  moment.map((date) => date.toUTCString()),
  moment.map((date) => date.toISOString().slice(0, 10)),
);
const sentence = fc.constantFrom(
  (value: string) => `Document ${value} has no pages`,
  (value: string) => `${value} is not known`,
  (value: string) => `Gave up waiting for ${value}`,
  (value: string) => `The server said no (request ${value}), try later`,
);

describe("a fingerprint", () => {
  test("is twelve hex digits for any fault", () => {
    const any = fc.record({
      code: fc.string(),
      message: fc.string({ unit: "binary" }),
      stack: fc.string(),
      stage: fc.string(),
    });
    fc.assert(
      fc.property(any, (fault) => {
        expect(fingerprint(fault)).toMatch(/^[0-9a-f]{12}$/);
      }),
    );
  });

  test("is shared by messages that differ in an id, number, hash, quotation, address or date", () => {
    fc.assert(
      fc.property(sentence, variable, variable, (say, one, other) => {
        expectShared([say(one), say(other)]);
      }),
      { numRuns: 3_000 },
    );
  });

  test.each([
    [
      [
        "connect ECONNREFUSED 127.0.0.1:5432",
        "connect ECONNREFUSED ::1:5432",
        "connect ECONNREFUSED 10.0.0.7:15432",
      ],
    ],
    [["ENOENT: no such file, open '/data/alpha.pdf'", "ENOENT: no such file, open '/tmp/it's me/b.pdf'"]],
    [["Can't read “Müller.pdf”", "Can't read “x”"]],
    [
      [
        "Unexpected token '<', \"<html>\n<body>\" is not valid JSON",
        "Unexpected token 'o', \"not json\" is not valid JSON",
      ],
    ],
    [["/app/parse.ts:12:7: bad font", "/app/parse.ts:118:22: bad font"]],
    [["missing pages 1, 2, 3", "missing pages 44"]],
    [
      [
        "due Mon May 06 2024 10:00:00 GMT+0200 (Central European Summer Time)",
        "due 2024-05-06 10:00:00+00",
        "due 7",
      ],
    ],
    [["row 5 failed\nat once", "row 6 failed\r\nlater", "  row 7 failed"]],
    [[`bad value "${"x".repeat(50_000)}`, `bad value "${"y".repeat(20_000)}`]],
    [["no message <abc.def@lists.example.org>", "no message <ghi@example.net>"]],
  ])("is shared by messages that mean the same (%#)", (messages) => {
    expectShared(messages);
  });

  test.each([
    ["no such table", "no such column"],
    ["Can't open the file, it's locked", "Can't open the file, it's gone"],
    ["the font is missing", "the font is broken"],
  ])("tells %j from %j", (one, other) => {
    expect(of(one)).not.toBe(of(other));
  });

  test("is another for another code or stage, whatever the message", () => {
    const codes = fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 2 });
    fc.assert(
      fc.property(fc.string(), codes, (message, [one = "", other = ""]) => {
        expect(of(message, { code: one })).not.toBe(of(message, { code: other }));
        expect(of(message, { stage: one })).not.toBe(of(message, { stage: other }));
      }),
    );
  });
});

describe("the stack", () => {
  const stack = (...frames: readonly string[]) =>
    ["Error: no", ...frames.map((frame) => `    at ${frame}`)].join("\n");

  test("counts by the function that failed, not by lines, callers, packages or Node itself", () => {
    const same = [
      stack("readFont (/app/src/pdf.ts:10:5)", "parse (/app/src/parse.ts:1:1)"),
      stack("readFont (/srv/app/dist/pdf.js:99:1)", "other (/app/src/other.ts:1:1)"),
      stack("async readFont (file:///app/src/pdf.ts:10:5)"),
      stack("readFont [as run] (/app/src/pdf.ts:11:5)"),
      stack(
        "Array.map (<anonymous>)",
        "open (/app/node_modules/pdf/x.js:1:1)",
        "read (node:fs:1:1)",
        "readFont (/app/a.ts:1:1)",
      ),
    ];
    expect(new Set(same.map((each) => of("no", { stack: each }))).size).toBe(1);
    expect(of("no", { stack: stack("readPage (/app/src/pdf.ts:10:5)") })).not.toBe(
      of("no", { stack: same[0] ?? "" }),
    );
  });

  test("counts by the file where a function has no name", () => {
    const at = (place: string) => of("no", { stack: stack(place) });
    expect(at("file:///app/src/pdf.ts?t=1:10:5")).toBe(at("/other/pdf.ts:3:1"));
    expect(at("async file:///app/src/pdf.ts:10:5")).not.toBe(at("/app/src/mail.ts:10:5"));
  });

  test("of a real error leads to its function", () => {
    const failHere = (line: string) => new Error(`broken at ${line}`);
    const one = failHere("1");
    const other = failHere("2");
    const read = (error: Error) => of(error.message, { stack: error.stack ?? "" });
    expect(read(one)).toBe(read(other));
  });
});

test("a hostile message of ten megabytes costs no more for each byte than a shorter one", async () => {
  const pieces = [
    "a",
    "'a ",
    '"',
    "<x@",
    "1",
    "f-",
    " \n",
    "at ",
    "http://",
    "\\",
    "#",
    ".:",
    "\n    at ",
    "    at x (",
    ":1:1",
  ];
  await expectLinear(10_000_000, (size) => {
    for (const piece of pieces) {
      const text = piece.repeat(size / piece.length);
      of(text, { stack: `Error: no\n    at ${text}` });
      of("no", { stack: text });
      of(text.slice(0, 9_999));
    }
  });
}, 120_000);
