import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readFromLine } from "./split-from-line.ts";

describe("a From_ line", () => {
  it.each([
    ["ann@example.org Sat Jan  1 00:00:00 2000", "ann@example.org", "2000-01-01T00:00:00.000Z"],
    ["ann@example.org  Sat Jan  1 12:34:56 2000", "ann@example.org", "2000-01-01T12:34:56.000Z"],
    ["ann at example.org  Sat Jan  1 00:00:00 2000", "ann@example.org", "2000-01-01T00:00:00.000Z"],
    ["- Tue Mar 04 03:33:20 2003", null, "2003-03-04T03:33:20.000Z"],
    [
      "1234567890123456789@xxx Mon Nov 13 10:00:01 +0000 2023",
      "1234567890123456789@xxx",
      "2023-11-13T10:00:01.000Z",
    ],
    ["ann@example.org Sat Jan  1 00:00:00 2000 +0200", "ann@example.org", "1999-12-31T22:00:00.000Z"],
    ["ann@example.org Sat Jan  1 00:00:00 PST 2000", "ann@example.org", "2000-01-01T08:00:00.000Z"],
    ["ann@example.org Sat Jan  1 00:00:00 2000 -0800 (PST)", "ann@example.org", "2000-01-01T08:00:00.000Z"],
    ["ann@example.org Sat Jan  1 00:00 99", "ann@example.org", "1999-01-01T00:00:00.000Z"],
    ["ann@example.org Sat, 1 Jan 2000 00:00:00 +0100", "ann@example.org", "1999-12-31T23:00:00.000Z"],
    ["ann@example.org 2000-01-01T00:00:00Z", "ann@example.org", "2000-01-01T00:00:00.000Z"],
    ["ann@example.org 1-Jan-00 00:00:00", "ann@example.org", "2000-01-01T00:00:00.000Z"],
    ["uucp Sat Jan  1 00:00:00 2000 remote from far", "uucp", "2000-01-01T00:00:00.000Z"],
    [" Sat Jan  1 00:00:00 2000", null, "2000-01-01T00:00:00.000Z"],
    ["???@??? Sat Jan 01 00:00:00 2000", null, "2000-01-01T00:00:00.000Z"],
    ["<> Sat Jan 01 00:00:00 2000", null, "2000-01-01T00:00:00.000Z"],
    ['"ann b"@example.org Sat Jan  1 00:00:00 2000', '"ann b"@example.org', "2000-01-01T00:00:00.000Z"],
    [
      "list-return-1-ann=x.org@y.org Sat Jan  1 1:02:03 PM 2000",
      "list-return-1-ann=x.org@y.org",
      "2000-01-01T13:02:03.000Z",
    ],
    ["luc\xc3\xada@example.org Sat Jan  1 00:00:00 2000", "lucía@example.org", "2000-01-01T00:00:00.000Z"],
  ])("%s separates", (tail, sender, date) => {
    expect(readFromLine(`From ${tail}`)).toMatchObject({ grade: "strict", sender, date });
  });

  it.each(["mboxrd@z Thu Jan  1 00:00:00 1970", "nobody Thu Jan  1 00:00:00 1970"])(
    "%s has a date that nobody meant",
    (tail) => {
      expect(readFromLine(`From ${tail}`)).toMatchObject({ grade: "strict", date: null });
    },
  );

  it("of a Git patch has neither sender nor date", () => {
    const line = `From ${"ab12".repeat(10)} Mon Sep 17 00:00:00 2001`;
    expect(readFromLine(line)).toMatchObject({ grade: "patch", sender: null, date: null });
  });

  it("without a date is bare, with several words before it wordy", () => {
    expect(readFromLine("From ann@example.org")?.grade).toBe("bare");
    expect(readFromLine("From ")?.grade).toBe("bare");
    expect(readFromLine("From Ann B Sat Jan  1 00:00:00 2000")?.grade).toBe("wordy");
  });

  it.each([
    "the beginning, this was odd.",
    "my perspective it always seemed like an interconnected set",
    "Monday to Friday, we meet at 12:00",
    "May 2000 to June 2001 nothing happened",
    "1999 on",
    "here",
    "ann@example.org, who said so in 2000:",
    "Sat Jan 1 00:00:00 2000 on, it ran",
    "Sat Jan 77 00:00:00 2000",
    "Sat Jan 1 99:00:00 2000",
  ])("%s is prose", (tail) => {
    expect(readFromLine(`From ${tail}`)).toBeNull();
  });

  it("can be any text, and then has a valid date or none", () => {
    const words = fc.constantFrom(
      "Sat",
      "Jan",
      "1",
      "31",
      "2000",
      "24:59:61",
      "+9999",
      "PM",
      "at",
      "x@y",
      "0000-99-99",
      "GMT",
    );
    const lines = fc.oneof(
      fc.string(),
      fc.array(words, { maxLength: 30 }).map((parts) => parts.join(" ")),
    );
    fc.assert(
      fc.property(lines, (text) => {
        const date = readFromLine(`From ${text}`)?.date ?? null;
        if (date !== null) expect(new Date(date).toISOString()).toBe(date);
      }),
    );
  });
});
