import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keptWords } from "./kept-words.ts";
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
    expect(replace(text)).toBe(`On Monday, ${name(names)} wrote:`);
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

  it("dates, votes and the marks of quotes stay", () => {
    const text = "> > +1\n> 2024-05-31, 10:30\n-- \n";
    expect(pseudonymsFor([text]).text(text)).toBe(text);
  });

  it("whatever is written, no word of it comes out but those that are kept, and none becomes two or two become one", () => {
    const word = fc.stringMatching(/^[a-z]{1,6}$|^[A-Z][a-zé]{2,8}$|^[а-я]{3,5}$|^[0-9]{3,6}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 200 }), (words) => {
        const { text } = pseudonymsFor(words);
        const distinct = [...new Set(words.map(canonical))].filter(
          (one) => !keptWords.has(one) && !/^(19[789]|20\d)\d$/.test(one),
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
