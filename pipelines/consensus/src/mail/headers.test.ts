import { describe, expect, it } from "vitest";
import { firstField, readHeaders } from "./headers.ts";

const read = (text: string) => {
  const raw = Buffer.from(text, "latin1");
  const headers = readHeaders(raw);
  return {
    subject: firstField(headers, "subject"),
    from: firstField(headers, "from"),
    body: raw.toString("latin1", headers.bodyStart),
    flags: headers.flags,
  };
};
const plain = { subject: "s", from: "a@b", body: "body\n", flags: [] };

describe("a header", () => {
  it.each([
    ["with LF", "From: a@b\nSubject: s\n\nbody\n"],
    ["with CRLF", "From: a@b\r\nSubject: s\r\n\r\nbody\n"],
    ["with CRCRLF", "From: a@b\r\r\nSubject: s\r\r\n\r\r\nbody\n"],
    ["with a lone CR", "From: a@b\rSubject: s\n\nbody\n"],
    ["below a From_ line", "From a@b Mon Jan  1 00:00:00 2001\nFrom: a@b\nSubject: s\n\nbody\n"],
    ["below an escaped From_ line", ">From a@b Mon Jan  1 00:00:00 2001\nFrom: a@b\nSubject: s\n\nbody\n"],
    ["below a byte order mark", "\xef\xbb\xbfFrom: a@b\nSubject: s\n\nbody\n"],
    ["below empty lines", "\n\nFrom: a@b\nSubject: s\n\nbody\n"],
    ["behind a blank", " From: a@b\nSubject: s\n\nbody\n"],
    ["with blanks before the colon", "From  : a@b\nSubject: s\n\nbody\n"],
    ["with blanks in the separator", "From: a@b\nSubject: s\n \t\nbody\n"],
    ["in other letters", "FROM:a@b\nsubject:s\n\nbody\n"],
  ])("%s is read", (_, text) => expect(read(text)).toEqual(plain));

  it("is unfolded", () => {
    expect(read("Subject: one\n\ttwo\r\n   three\n\nx").subject).toBe("one two three");
    expect(read("Subject:\n two\n\nx").subject).toBe("two");
  });

  it("goes on behind a line that is none of it", () => {
    expect(read("From: a@b\nwhat is this\nSubject: s\n\nbody\n")).toEqual({
      ...plain,
      flags: ["header.malformed"],
    });
  });

  it("ends at the first line that cannot be of it, when the separator is missing", () => {
    expect(read("From: a@b\nSubject: s\nbody text without a break\n")).toEqual({
      ...plain,
      body: "body text without a break\n",
      flags: ["header.unterminated"],
    });
  });

  it("may be missing", () => {
    expect(read("Just some words\nand more: of them.\n")).toMatchObject({
      body: "Just some words\nand more: of them.\n",
      flags: ["header.missing"],
    });
    expect(read("")).toMatchObject({ body: "", flags: [] });
  });

  it("of which the body is missing is read to its end", () => {
    expect(read("From: a@b\nSubject: s")).toEqual({ ...plain, body: "" });
  });

  it("with a field twice says the first that says something", () => {
    expect(read("Subject: \nSubject: s\nSubject: t\n\n").subject).toBe("s");
  });

  it("of a part has nothing before it", () => {
    const raw = Buffer.from("\nFrom: a@b\n\nx");
    expect(readHeaders(raw, false).bodyStart).toBe(1);
  });
});
