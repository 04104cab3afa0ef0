import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readDate } from "./dates.ts";

const iso = (text: string) => {
  const time = readDate(text);
  return time === null ? null : new Date(time).toISOString().replace(".000Z", "Z");
};

describe("a date", () => {
  it.each([
    ["Fri, 06 Apr 2007 15:43:55 -0700", "2007-04-06T22:43:55Z"],
    ["Fri,  6 Apr 2007 15:43:55 -0700 (PDT)", "2007-04-06T22:43:55Z"],
    ["6 Apr 2007 15:43 GMT", "2007-04-06T15:43:00Z"],
    ["Mon, 21 Aug 95 13:30:57 -600", "1995-08-21T19:30:57Z"],
    ["Wed, 11 Feb 98 11:51 CST", "1998-02-11T17:51:00Z"],
    ["1 Jan 49 00:00:00 +0000", "2049-01-01T00:00:00Z"],
    ["1 Jan 102 00:00:00 +0000", "2002-01-01T00:00:00Z"],
    ["1 Jan 19102 00:00:00 +0000", "2002-01-01T00:00:00Z"],
    ["Sat, 01-Jan-2000 10:00:00 GMT", "2000-01-01T10:00:00Z"],
    ["Sat Jan  1 10:00:00 2000", "2000-01-01T10:00:00Z"],
    ["Sat Jan 01 10:00:00 EST 2000", "2000-01-01T15:00:00Z"],
    ["Sat Jan  1 10:00:00 2000 +0100", "2000-01-01T09:00:00Z"],
    ["January 5, 2000 3:04 PM EST", "2000-01-05T20:04:00Z"],
    ["Tue, 5 Jan 2000 12:30:00 AM", "2000-01-05T00:30:00Z"],
    ["2005-01-02T03:04:05Z", "2005-01-02T03:04:05Z"],
    ["2005-01-02 03:04:05 +0100", "2005-01-02T02:04:05Z"],
    ["2005-01-02 03:04:05.123456+05:30", "2005-01-01T21:34:05Z"],
    ["01/02/2005 10:00", "2005-01-02T10:00:00Z"],
    ["13/02/2005 10:00", "2005-02-13T10:00:00Z"],
    ["13.02.2005 10:00", "2005-02-13T10:00:00Z"],
    ["13-02-2005 10:00", "2005-02-13T10:00:00Z"],
    ["Fri, 21 Nov 1997 09(comment):   55  :  06 -0600", "1997-11-21T15:55:06Z"],
    ["Fri, 6 Apr 2007 24:00:00 +0000", "2007-04-07T00:00:00Z"],
    ["Sat, 31 Dec 2005 23:59:60 +0000", "2006-01-01T00:00:00Z"],
    ["Fri, 6 Apr 2007 15:43:55 -0000", "2007-04-06T15:43:55Z"],
    ["Fri, 6 Apr 2007 15:43:55 GMT+0200", "2007-04-06T13:43:55Z"],
    ["Fri, 6 Apr 2007 15:43:55 MET DST", "2007-04-06T13:43:55Z"],
    ["Fri, 6 Apr 2007 15:43:55 A", "2007-04-06T15:43:55Z"],
    ["Fri, 6 Apr 2007 15.43.55 +0200", "2007-04-06T13:43:55Z"],
    ["Mi, 7 März 2007 10:00:00 +0100", "2007-03-07T09:00:00Z"],
    ["mer. 12 févr. 2003 10:00:00 +0100", "2003-02-12T09:00:00Z"],
    ["mar, 4 ene 2005 10:00:00 +0100", "2005-01-04T09:00:00Z"],
    ["Ср, 7 мая 2008 10:00:00 +0400", "2008-05-07T06:00:00Z"],
    ["Apr 6 Fri 2007 10:00:00 +0000", "2007-04-06T10:00:00Z"],
    ["Fri, Apr 6 2007 10:00:00 +0000", "2007-04-06T10:00:00Z"],
    ["Tue, 15 Mar 2016 12:05:48 ????", "2016-03-15T12:05:48Z"],
  ])("%j is %s", (text, expected) => expect(iso(text)).toBe(expected));

  it.each(["", "yesterday", "Malformed Date.", "<HR>", "Jan", "32", "99 Foo 2000", "10:00"])(
    "%j is none",
    (text) => expect(readDate(text)).toBeNull(),
  );

  it("that a program writes is read back, in each form", () => {
    const span = { min: new Date("1970-01-02"), max: new Date("2049-12-31"), noInvalidDate: true };
    fc.assert(
      fc.property(fc.date(span), (date) => {
        const second = Math.floor(date.getTime() / 1000) * 1000;
        const whole = new Date(second);
        expect(readDate(whole.toUTCString())).toBe(second);
        expect(readDate(whole.toISOString())).toBe(second);
        expect(readDate(whole.toUTCString().replace("GMT", "+0000"))).toBe(second);
      }),
    );
  });

  it("of any text is a time or none", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        const time = readDate(text);
        expect(time === null || Number.isFinite(time)).toBe(true);
      }),
    );
  });
});
