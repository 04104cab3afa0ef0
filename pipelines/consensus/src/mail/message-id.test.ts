import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contentMessageId, normaliseMessageId, readInReplyTo, readReferences } from "./message-id.ts";

describe("a message id", () => {
  it.each([
    ["<a.b@host>", "a.b@host"],
    ["  <a@host>  (added by postmaster@host)", "a@host"],
    ["<<a@host>>", "a@host"],
    ["a@host", "a@host"],
    ["<a\n\t.b@host>", "a.b@host"],
    ["<1234 at host.org>", "1234@host.org"],
    ["(comment) a@host", "a@host"],
    ["<no-sign-at-all>", "no-sign-at-all"],
    ['<"quoted"@host>', '"quoted"@host'],
  ])("%j is %s", (field, id) => expect(normaliseMessageId(field)).toBe(id));

  it.each(["", "<>", "<@>", "< >", "none", "two words", "<\u0001\u0002\u0003>"])("%j is none", (field) =>
    expect(normaliseMessageId(field)).toBeNull(),
  );

  it("of a normal form is that form", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), (text) => {
        const id = normaliseMessageId(text);
        if (id !== null) expect(normaliseMessageId(`<${id}>`)).toBe(id);
      }),
    );
  });
});

describe("In-Reply-To", () => {
  it.each([
    ["<1@host>", "1@host"],
    ['Your message of "Fri, 6 Apr 2007 15:43:55 -0700." <200704@host>', "200704@host"],
    ["Message from Ann <ann@host> of Monday <12345.6@host>", "12345.6@host"],
    ['<199901.AA12@host> from "Ann" at Jan 1, 99 10:00:00 am', "199901.AA12@host"],
    ["<1@host> <2@host>", "1@host"],
    ["Other person's message of Saturday <2007.1@host>", "2007.1@host"],
    ["20240101.1@host", "20240101.1@host"],
  ])("%j answers %s", (field, id) => expect(readInReplyTo(field)).toBe(id));

  it.each(["", "<20070407.other.person@example", "your mail", "ann@host's message of Monday"])(
    "%j answers nothing that could be found",
    (field) => expect(readInReplyTo(field)).toBeNull(),
  );
});

describe("References", () => {
  it.each([
    ["<1@a> <2@a>", ["1@a", "2@a"]],
    ["<1@a><2@a>", ["1@a", "2@a"]],
    ["<1@a>,<2@a>, <1@a>", ["1@a", "2@a"]],
    ["<1@\n a> <2@a>", ["1@a", "2@a"]],
    ["<1@a> <2@", ["1@a"]],
    ["2@a> <3@a>", ["3@a"]],
    ["<1@a <2@a>", ["2@a"]],
    ["1.x@a 2.x@a", ["1.x@a", "2.x@a"]],
    ["<1@a 2@a>", ["1@a", "2@a"]],
    ["see my mail", []],
  ])("%j are %j", (field, ids) => expect(readReferences(field)).toEqual(ids));

  it("of a thread that is too deep keep the first and the nearest", () => {
    const ids = readReferences(Array.from({ length: 3000 }, (_, i) => `<${i}@a>`).join(" "));
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([500, "0@a", "2999@a"]);
  });
});

describe("an id made from the content", () => {
  const mail = {
    from: { name: "Ann", address: "ann@host" },
    date: null,
    subject: "s",
    text: "t",
    attachments: [],
  };

  it("is the same for the same message, and another for another", () => {
    expect(contentMessageId(mail)).toBe(contentMessageId({ ...mail }));
    expect(contentMessageId(mail)).toMatch(/^[0-9a-f]{32}@content\.invalid$/);
    const others = [
      { text: "u" },
      { subject: "u" },
      { date: "2001-01-01T00:00:00.000Z" },
      { attachments: [{ sha256: "1" }] },
      { attachments: [{ sha256: "2" }] },
    ];
    const ids = new Set([mail, ...others.map((other) => ({ ...mail, ...other }))].map(contentMessageId));
    expect(ids.size).toBe(6);
  });
});
