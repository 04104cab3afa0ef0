import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Header, type Thread, threadMessages } from "./thread.ts";

const day = (days: number): string => new Date(Date.UTC(2024, 0, 1) + days * 86_400_000).toISOString();

/** A message named by one word, also its Message-ID at "x". */
function aHeader(name: string, given: Partial<Header> & { readonly to?: string } = {}): Header {
  const { to, ...rest } = given;
  const references = (to ?? "").split(" ").filter((each) => each !== "");
  return {
    id: name,
    messageId: `${name}@x`,
    inReplyTo: null,
    references: references.map((each) => `${each}@x`),
    subject: "",
    date: day(0),
    ...rest,
  };
}

/** The trees as one line each: `a(b c(d))`. */
function draw(threads: readonly Thread[]): string[] {
  return threads.map(({ members, roots }) => {
    const below = (id: string): string => {
      const children = members.filter(({ parent }) => parent === id).map((child) => below(child.id));
      return children.length === 0 ? id : `${id}(${children.join(" ")})`;
    };
    return roots.map(below).join(" ");
  });
}

const drawn = (...headers: Header[]): string[] => draw(threadMessages(headers));

describe("a parent given by the headers", () => {
  it("is the last reference that is there", () => {
    expect(drawn(aHeader("a"), aHeader("b", { to: "a" }), aHeader("c", { to: "a b lost" }))).toEqual([
      "a(b(c))",
    ]);
  });

  it("is what In-Reply-To names where there are no references", () => {
    expect(drawn(aHeader("a"), aHeader("b", { inReplyTo: "a@x" }))).toEqual(["a(b)"]);
  });

  it("is what In-Reply-To names where references are in the wrong order", () => {
    const reversed = aHeader("c", { inReplyTo: "b@x", to: "b a" });
    expect(drawn(aHeader("a"), aHeader("b", { to: "a" }), reversed)).toEqual(["a(b(c))"]);
  });

  it("is the last reference where In-Reply-To names nothing that is there", () => {
    expect(drawn(aHeader("a"), aHeader("b", { inReplyTo: "lost@x", to: "a" }))).toEqual(["a(b)"]);
  });

  it("is told by another message's references where the parent in between is missing", () => {
    const told = aHeader("c", { to: "a lost" });
    expect(drawn(aHeader("a"), aHeader("b", { to: "lost" }), told)).toEqual(["a(b c)"]);
  });

  it("is told by another message's references for an answer that lost its own", () => {
    const stripped = aHeader("b", { subject: "Re: words" });
    expect(drawn(aHeader("a"), stripped, aHeader("c", { to: "a b" }))).toEqual(["a(b(c))"]);
  });

  it("is not invented for a message that is no answer, whatever others refer to", () => {
    expect(drawn(aHeader("a"), aHeader("b", { subject: "New" }), aHeader("c", { to: "a b" }))).toEqual([
      "a",
      "b(c)",
    ]);
  });
});

describe("a missing message", () => {
  it("holds its answers together, and names the thread", () => {
    const threads = threadMessages([aHeader("b", { to: "lost" }), aHeader("c", { inReplyTo: "lost@x" })]);
    expect(draw(threads)).toEqual(["b c"]);
    expect(threads).toMatchObject([{ root: "lost@x", roots: ["b", "c"] }]);
  });

  it("that arrives late takes its place, and the thread keeps its key", () => {
    const answers = [
      aHeader("b", { to: "a lost" }),
      aHeader("c", { to: "a lost b" }),
      aHeader("d", { to: "a" }),
    ];
    const before = threadMessages(answers);
    const middle = threadMessages([...answers, aHeader("lost", { to: "a" })]);
    const after = threadMessages([...answers, aHeader("lost", { to: "a" }), aHeader("a", { date: day(-1) })]);
    expect(draw(before)).toEqual(["b(c) d"]);
    expect(draw(middle)).toEqual(["d lost(b(c))"]);
    expect(draw(after)).toEqual(["a(d lost(b(c)))"]);
    expect([before, middle, after].map(([thread]) => thread?.root)).toEqual(["a@x", "a@x", "a@x"]);
  });
});

describe("headers that cannot be true", () => {
  it("a message that answers itself is a root", () => {
    expect(drawn(aHeader("a", { inReplyTo: "a@x", to: "a" }))).toEqual(["a"]);
    expect(threadMessages([aHeader("a", { to: "lost a" })])[0]?.root).toBe("lost@x");
  });

  it("a loop is opened at its latest message", () => {
    const loop = [aHeader("a", { to: "c" }), aHeader("b", { to: "a", date: day(1) })];
    expect(drawn(...loop, aHeader("c", { to: "b", date: day(2) }))).toEqual(["c(a(b))"]);
  });

  it("a loop falls back on an earlier reference", () => {
    const loop = [aHeader("b", { to: "a c", date: day(1) }), aHeader("c", { to: "a b", date: day(2) })];
    expect(drawn(aHeader("a"), ...loop)).toEqual(["a(c(b))"]);
  });

  it("a second message with the same Message-ID is a message of its own", () => {
    const twin = aHeader("twin", { messageId: "b@x", to: "a", date: day(3) });
    const all = [aHeader("a"), aHeader("b", { to: "a" }), aHeader("c", { to: "b" }), twin];
    expect(drawn(...all)).toEqual(["a(b(c) twin)"]);
  });

  it("an empty Message-ID is nobody's", () => {
    const empty = (id: string) => aHeader(id, { messageId: "", references: [""] });
    const threads = threadMessages([empty("a"), empty("b")]);
    expect(draw(threads)).toEqual(["a", "b"]);
    expect(new Set(threads.map(({ root }) => root)).size).toBe(2);
  });
});

describe("a message without references", () => {
  const question = aHeader("a", { subject: "[list] Words" });

  it("that calls itself an answer joins the last conversation on its subject, below its first message", () => {
    const answer = aHeader("b", { to: "a", subject: "Re: words", date: day(1) });
    expect(drawn(question, answer, aHeader("c", { subject: "AW: [list] WORDS", date: day(2) }))).toEqual([
      "a(b c)",
    ]);
  });

  it("that calls itself an answer joins though its reference is missing", () => {
    expect(drawn(question, aHeader("b", { to: "lost", subject: "Re: Words", date: day(1) }))).toEqual([
      "a(b)",
    ]);
  });

  it("that calls itself an answer joins the nearest of several", () => {
    const again = aHeader("b", { subject: "Words", date: day(7) });
    const answer = aHeader("c", { subject: "Re: Words", date: day(8) });
    expect(drawn(question, again, answer)).toEqual(["a", "b(c)"]);
  });

  it("stays alone two months later", () => {
    expect(drawn(question, aHeader("b", { subject: "Re: Words", date: day(61) }))).toEqual(["a", "b"]);
    expect(drawn(question, aHeader("b", { subject: "Re: Words", date: day(59) }))).toEqual(["a(b)"]);
  });

  it("and without a date still joins", () => {
    expect(drawn(question, aHeader("b", { subject: "Re: Words", date: null }))).toEqual(["a(b)"]);
  });

  it("stands beside another answer to what nobody has", () => {
    const threads = threadMessages([
      aHeader("a", { subject: "Re: Words" }),
      aHeader("b", { subject: "Re: Words", date: day(1) }),
    ]);
    expect(threads).toMatchObject([{ root: "a@x", roots: ["a", "b"], subject: "Words" }]);
  });

  it.each(["[RESULT] [VOTE] Release 3.1", "[VOTE][RESULT] Release 3.1", "[CANCELLED] Release 3.1"])(
    "that declares a result joins the vote, also when sent anew: %s",
    (subject) => {
      const vote = aHeader("a", { subject: "[VOTE] Release 3.1" });
      const answer = aHeader("b", { to: "a", subject: "Re: [VOTE] Release 3.1", date: day(1) });
      expect(drawn(vote, answer, aHeader("c", { subject, date: day(4) }))).toEqual(["a(b c)"]);
      expect(drawn(vote, answer, aHeader("c", { subject, date: day(90) }))).toEqual(["a(b)", "c"]);
      expect(drawn(vote, aHeader("c", { subject: `${subject}.2`, date: day(4) }))).toEqual(["a", "c"]);
    },
  );

  it("that is no answer stays alone, whatever its subject", () => {
    const reports = [0, 1, 7].map((at) => aHeader(`r${at}`, { subject: "Weekly report", date: day(at) }));
    const answer = aHeader("s", { subject: "Re: Weekly report", to: "r0", date: day(0.5) });
    expect(drawn(...reports, answer)).toEqual(["r0(s)", "r1", "r7"]);
    expect(drawn(aHeader("a", { subject: "Re:" }), aHeader("b", { subject: "Re:" }))).toEqual(["a", "b"]);
    expect(drawn(question, aHeader("b", { subject: "Fwd: Words", date: day(1) }))).toEqual(["a", "b"]);
  });

  it("joins a conversation that is going on and whose archive has taken every Re: away", () => {
    const bare = aHeader("b", { subject: "[list] Words", to: "a", date: day(1) });
    const later = (days: number) => aHeader("c", { subject: "[list] Words", date: day(days) });
    expect(drawn(question, bare, later(3))).toEqual(["a(b c)"]);
    expect(drawn(question, bare, later(8))).toEqual(["a(b)", "c"]);
  });
});

describe("any set of headers", () => {
  const names = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h", "");
  const subjects = fc.constantFrom("", "x", "Re: x", "Re: y", "y", "[l] Re: x");
  const header: fc.Arbitrary<Header> = fc.record({
    id: fc.constantFrom("1", "2", "3", "4", "5", "6", "7", "8", "9"),
    messageId: names,
    inReplyTo: fc.option(names),
    references: fc.array(names, { maxLength: 4 }),
    subject: subjects,
    date: fc.oneof(fc.integer({ min: 0, max: 90 }).map(day), fc.constantFrom(null, "soon", "2024-01-01")),
  });
  const headers = fc.array(header, { maxLength: 12 });

  it("gives the same threads in any order and with any repetition", () => {
    const shuffled = headers.chain((all) =>
      fc.tuple(
        fc.constant(all),
        fc
          .shuffledSubarray(all, { minLength: all.length })
          .chain((order) => fc.subarray(order).map((repeated) => [...repeated, ...order])),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([all, again]) => {
        expect(threadMessages(again)).toEqual(threadMessages(all));
      }),
      { numRuns: 500 },
    );
  });

  it("has every message once, below a parent that comes before it, under a key of its own", () => {
    fc.assert(
      fc.property(headers, (all) => {
        const threads = threadMessages(all);
        const ids = threads.flatMap(({ members }) => members.map(({ id }) => id));
        expect([...ids].sort()).toEqual([...new Set(all.map(({ id }) => id))].sort());
        expect(new Set(threads.map(({ root }) => root)).size).toBe(threads.length);
        for (const { members, roots } of threads) {
          const before = new Set<string | null>([null]);
          for (const { id, parent } of members) {
            expect(before.has(parent)).toBe(true);
            before.add(id);
          }
          expect(roots).toEqual(members.filter(({ parent }) => parent === null).map(({ id }) => id));
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("large lists", () => {
  it("a chain of 50,000 answers is one thread", () => {
    const chain = Array.from({ length: 50_000 }, (_, at) =>
      aHeader(`m${at}`, { inReplyTo: at === 0 ? null : `m${at - 1}@x`, date: day(50_000 - at) }),
    );
    const [thread, ...others] = threadMessages(chain);
    expect(others).toEqual([]);
    expect(thread?.members.at(-1)).toEqual({ id: "m49999", parent: "m49998" });
  });

  it("a chain of 50,000 messages that nobody has is followed to its end", () => {
    const references = Array.from({ length: 50_000 }, (_, at) => `lost${at}@x`);
    const answers = Array.from({ length: 2_000 }, (_, at) => aHeader(`m${at}`, { to: `lost${at * 25}` }));
    expect(threadMessages([aHeader("all", { references }), ...answers])).toHaveLength(1);
  });

  it("a loop of 20,000 messages is opened once", () => {
    const loop = Array.from({ length: 20_000 }, (_, at) =>
      aHeader(`m${at}`, { inReplyTo: `m${(at + 1) % 20_000}@x`, date: day(at) }),
    );
    expect(threadMessages(loop)).toMatchObject([{ root: "m19999@x", roots: ["m19999"] }]);
  });

  it("30,000 answers without references to one subject are threaded", () => {
    const answers = Array.from({ length: 30_000 }, (_, at) =>
      aHeader(`m${at}`, { subject: at === 0 ? "x" : "Re: x", date: day(at / 100) }),
    );
    expect(threadMessages(answers)[0]?.members).toHaveLength(30_000);
  });

  it("60,000 messages in 6,000 threads are threaded", () => {
    const all = Array.from({ length: 60_000 }, (_, at) => {
      const first = at - (at % 10);
      const references = Array.from({ length: at % 10 }, (_, up) => `m${first + up}@x`);
      return aHeader(`m${at}`, { references, subject: `Re: [list] subject ${first}`, date: day(at / 100) });
    });
    expect(threadMessages(all)).toHaveLength(6_000);
  });
});
