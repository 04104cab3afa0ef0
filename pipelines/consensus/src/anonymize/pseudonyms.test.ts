import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isKept } from "./kept-words.ts";
import { canonical, makePseudonyms, wordPattern } from "./pseudonyms.ts";

const wordsOf = (text: string) => [...text.matchAll(wordPattern)].map(([word]) => canonical(word));

function pseudonymsFor(texts: readonly string[], { names = "", ids = [] as string[], key = "key" } = {}) {
  return makePseudonyms({
    key: Buffer.from(key),
    words: new Set([...texts, names].flatMap(wordsOf)),
    nameWords: new Set(wordsOf(names)),
    messageIds: new Set(ids),
  });
}

describe("pseudonyms", () => {
  it("the same word becomes the same other one, in its own case, and what is between stays", () => {
    const text = "Gauges, gauges; GAUGES -- > Gauges!";
    const made = pseudonymsFor([text]).text(text);
    const [word] = /[A-Z][a-z]+/.exec(made) as unknown as [string];
    const small = word.toLowerCase();
    expect(made).toBe(`${word}, ${small}; ${small.toUpperCase()} -- > ${word}!`);
    expect(small).not.toBe("gauges");
  });

  it("a name is the same in a field and in a text, and no word of it is kept", () => {
    const names = "April May Li";
    const text = "On Monday, April May Li wrote:";
    const { name, text: replace } = pseudonymsFor([text], { names });
    expect(replace(text)).toMatch(new RegExp(`^On \\w+day, ${name(names)} wrote:$`));
    expect(wordsOf(name(names)).some((word) => ["april", "may", "li"].includes(word))).toBe(false);
  });

  it("an address is the same wherever it stands, however it is spelled, and can reach nobody", () => {
    const text = "Write to <Ann@Host.org>, or mailto:ann@host.org.";
    const { address, text: replace } = pseudonymsFor([text]);
    const made = address("ann@host.org");
    expect(made).toMatch(/^[a-z]+@[a-z]+\.invalid$/);
    expect(replace(text).split(made)).toHaveLength(3);
  });

  it("the id of a mail is the same in a field and in a text", () => {
    const id = "CA+ann.1@mail.host.org";
    const { messageId, text } = pseudonymsFor([`see <${id}>`], { ids: [id] });
    expect(text(`<${id}>`)).toBe(`<${messageId(id)}>`);
  });

  it.each(["+46 70 123 45 67", "(0) 30/12 34 56 78", "555-0199-22", "00 33 1 23 45 67 89"])(
    "no telephone number stays: %s",
    (phone) => {
      const made = pseudonymsFor([phone]).text(`Call ${phone}.`);
      expect(made.replace(/\D/g, "")).not.toBe(phone.replace(/\D/g, ""));
      expect(made.replace(/\d/g, "0")).toContain(phone.replace(/\d/g, "0"));
    },
  );

  it("votes and the marks of quotes stay; dates and times keep their form only", () => {
    const text = "> > +1\n> Fri, 31 May 2024, 10:37:12\n> 2024-05-31\n-- \n";
    const made = pseudonymsFor([text]).text(text);
    expect(made).toMatch(/^> > \+1\n> \w{3}, \d\d \w{3} 2024, 10:00:00\n> 2024-\d\d-\d\d\n-- \n$/);
    expect(made).not.toMatch(/31 May|-05-31/);
  });

  it("names that stand only in a text are replaced, also those that are words", () => {
    const text = "Thanks to Will and May Ek. We will ask them in May, on 4 May.";
    const made = pseudonymsFor([text]).text(text);
    expect(made).toMatch(
      /^Thanks to (?!Will)\w+ and (?!May)\w+ (?!Ek)\w+\. We will ask them in \w+, on \d \w{3}\.$/,
    );
  });

  it.each(["10.20.30.40", "2a02:8109:1:2::5", "fe80::1234:5678"])(
    "no machine can be found: %s",
    (address) => {
      const made = pseudonymsFor([]).text(`It answers at ${address}, I think.`);
      expect(made).not.toContain(address);
      expect(made).toMatch(/ (?:203\.0\.113\.\d+|2001:\S+), I think\.$/);
    },
  );

  it("the time for a text without a blank grows as its length", () => {
    const steps = (length: number) => {
      const { text } = pseudonymsFor([]);
      const started = process.cpuUsage();
      text("a.b+c=".repeat(length / 6));
      return process.cpuUsage(started).user;
    };
    steps(30_000);
    expect(steps(600_000)).toBeLessThan(100 * Math.max(steps(60_000), 1_000));
  });

  it("whatever is written, no word of it comes out but those that are kept, and none becomes two or two become one", () => {
    const word = fc.stringMatching(/^[a-z]{1,6}$|^[A-Z][a-zé]{2,8}$|^[а-я]{3,5}$|^[0-9]{3,6}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 200 }), (words) => {
        const { text } = pseudonymsFor(words);
        const distinct = [...new Set(words.map(canonical))].filter(
          (one) => !isKept(one) && !/^(?:(?:19[789]|20\d)\d|10{2,6})$/.test(one),
        );
        const made = distinct.map((one) => text(one));
        expect(new Set(made).size).toBe(distinct.length);
        for (const one of made) expect(distinct).not.toContain(canonical(one));
      }),
      { numRuns: 100 },
    );
  });

  it("another key makes other pseudonyms", () => {
    const text = "Tide gauges";
    expect(pseudonymsFor([text], { key: "one" }).text(text)).not.toBe(
      pseudonymsFor([text], { key: "two" }).text(text),
    );
  });
});
