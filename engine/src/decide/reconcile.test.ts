import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Change, type Present, type Producer, reconcile, type Wanted } from "./reconcile.ts";

const content = (text: string) => Buffer.from(text);
const doc = (id: string, text: string): Wanted => ({ collection: 1, id, hash: content(text) });
const producer = (subject: number): Producer => ({ stage: 7, subject });
const there = (subject: number, wanted: Wanted, by: readonly number[], gone = false): Present => ({
  ...wanted,
  subject,
  gone,
  producers: by.map(producer),
});
const counting = () => {
  let next = 100;
  return () => next++;
};
const yields = (subject: number, ...wanted: Wanted[]) => ({ producer: producer(subject), wanted });
const brief = (changes: readonly Change[]) =>
  changes.map((one) => {
    const by = "producer" in one ? ` by ${one.producer.subject}` : "";
    const heir = one.kind === "leave" && one.heir ? ` to ${one.heir.subject}` : "";
    return `${one.kind} ${one.subject}${by}${heir}`;
  });

describe("one producer's documents", () => {
  const check = (now: readonly Wanted[], present: readonly Present[], partial = false) =>
    brief(reconcile([yields(1, ...now)], present, counting(), partial));

  test("that are new are inserted", () => {
    expect(check([doc("a", "1"), doc("b", "1")], [])).toEqual(["insert 100 by 1", "insert 101 by 1"]);
  });

  test("that are as they were are kept", () => {
    expect(check([doc("a", "1")], [there(5, doc("a", "1"), [1])])).toEqual(["keep 5 by 1"]);
  });

  test("that changed are updated", () => {
    expect(check([doc("a", "2")], [there(5, doc("a", "1"), [1])])).toEqual(["update 5 by 1"]);
  });

  test("that it no longer yields are removed, unless this is only a part of a stream", () => {
    expect(check([], [there(5, doc("a", "1"), [1])])).toEqual(["remove 5"]);
    expect(check([], [there(5, doc("a", "1"), [1])], true)).toEqual([]);
  });

  test("with the same id in two collections are two documents", () => {
    const other = { ...doc("a", "1"), collection: 2 };
    expect(check([doc("a", "1"), other], [])).toEqual(["insert 100 by 1", "insert 101 by 1"]);
  });

  test("that it yields twice count once", () => {
    expect(check([doc("a", "1"), doc("a", "1")], [])).toEqual(["insert 100 by 1"]);
  });

  test("that were gone come back as they are wanted now", () => {
    const [change] = reconcile([yields(1, doc("a", "2"))], [there(5, doc("a", "1"), [3], true)], counting());
    expect(change).toMatchObject({ kind: "update", subject: 5, revived: true });
  });
});

describe("a document of several producers", () => {
  const shared = there(5, doc("a", "1"), [1, 2, 3]);
  const check = (...given: ReturnType<typeof yields>[]) => brief(reconcile(given, [shared], counting()));

  test("is shared by whoever yields the same", () => {
    expect(check(yields(4, doc("a", "1")))).toEqual(["share 5 by 4"]);
  });

  test("is in conflict with whoever yields something else", () => {
    expect(check(yields(4, doc("a", "2")))).toEqual(["conflict 5 by 4"]);
  });

  test("stays when one of them leaves, and has an heir when it was the first", () => {
    expect(check(yields(2))).toEqual(["leave 5 by 2"]);
    expect(check(yields(1))).toEqual(["leave 5 by 1 to 2"]);
  });

  test("goes with its last one", () => {
    expect(check(yields(1), yields(3), yields(2))).toEqual(["leave 5 by 1 to 2", "leave 5 by 3", "remove 5"]);
  });

  test("is left by a producer that now yields something else under its id", () => {
    expect(check(yields(1, doc("a", "2")))).toEqual(["leave 5 by 1 to 2", "conflict 5 by 1"]);
  });

  test("follows when all of them change their minds alike", () => {
    const changes = check(yields(1, doc("a", "2")), yields(2, doc("a", "2")), yields(3, doc("a", "2")));
    expect(changes.at(-1)).toBe("update 5 by 3");
  });

  test("is taken over, not removed, when its last producer leaves as another one comes", () => {
    const alone = there(5, doc("a", "1"), [1]);
    expect(brief(reconcile([yields(1), yields(2, doc("a", "2"))], [alone], counting()))).toEqual([
      "update 5 by 2",
    ]);
  });
});

/** A store of the simplest kind, which does what the changes say, in the order in which `store/outputs.ts` does. */
class Model {
  readonly documents = new Map<number, Present>();
  readonly conflicts = new Map<string, { subject: number; producer: Producer; hash: Buffer }>();
  readonly wishes = new Map<number, readonly Wanted[]>();
  readonly #next = counting();

  commit(round: ReadonlyMap<number, readonly Wanted[]>, partial = false): Change[] {
    const given = [...round].map(([subject, wanted]) => yields(subject, ...wanted));
    const changes = reconcile(given, [...this.documents.values()], this.#next, partial);
    for (const change of inWritingOrder(changes)) this.#apply(change);
    for (const [subject, wanted] of round) if (!partial) this.wishes.set(subject, wanted);
    return changes;
  }

  /** What the reaper does: erases what is gone, and lets those try again who were refused for its sake. */
  reap(): void {
    for (;;) {
      const gone = [...this.documents.values()].find((one) => one.gone);
      if (!gone) return;
      this.documents.delete(gone.subject);
      const refused = [...this.conflicts].filter(([, one]) => one.subject === gone.subject);
      for (const [key] of refused) this.conflicts.delete(key);
      for (const [, { producer: by }] of refused) {
        this.commit(new Map([[by.subject, this.wishes.get(by.subject) ?? []]]));
      }
    }
  }

  #apply(change: Change): void {
    const { subject } = change;
    const before = this.documents.get(subject);
    const put = (now: Partial<Present>) =>
      this.documents.set(subject, { ...(before as Present), subject, ...now });
    switch (change.kind) {
      case "insert":
        if (before || this.find(change.wanted)) throw new Error(`${change.wanted.id} was inserted twice`);
        put({ ...change.wanted, gone: false, producers: [change.producer] });
        return;
      case "update":
        put({
          hash: change.wanted.hash,
          gone: false,
          producers: change.revived ? [change.producer] : (before?.producers ?? []),
        });
        return;
      case "share":
        put({ producers: [...(before?.producers ?? []), change.producer] });
        return;
      case "leave": {
        const left = others(before, change.producer);
        if (change.heir && left[0]?.subject !== change.heir.subject) throw new Error("a stranger inherits");
        put({ producers: left });
        return;
      }
      case "remove":
        put({ gone: true });
        return;
      case "conflict":
        this.conflicts.set(`${subject}/${change.producer.subject}`, { ...change, hash: change.wanted.hash });
        return;
      case "keep":
    }
  }

  find = (wanted: Wanted) =>
    [...this.documents.values()].find((one) => one.collection === wanted.collection && one.id === wanted.id);

  isRefused(by: number, wanted: Wanted): boolean {
    const found = this.find(wanted);
    const conflict = this.conflicts.get(`${found?.subject}/${by}`);
    return (
      found !== undefined && !found.hash.equals(wanted.hash) && conflict?.hash.equals(wanted.hash) === true
    );
  }
}

const others = (document: Present | undefined, leaver: Producer) =>
  (document?.producers ?? []).filter((one) => one.subject !== leaver.subject);

const writingOrder: readonly Change["kind"][] = [
  "insert",
  "update",
  "share",
  "keep",
  "leave",
  "conflict",
  "remove",
];
const inWritingOrder = (changes: readonly Change[]) =>
  writingOrder.flatMap((kind) => changes.filter((change) => change.kind === kind));

const ids = ["a", "b", "c", "d"];
const someWishes = fc
  .dictionary(fc.constantFrom(...ids), fc.constantFrom("1", "2"), { maxKeys: 4 })
  .map((texts) => Object.entries(texts).map(([id, text]) => doc(id, text)));
/** In each round some of four producers yield anew, in any order. */
const someRound = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 4 }), someWishes), { minLength: 1, maxLength: 4 })
  .map((entries) => new Map(entries));
const someRounds = fc.array(fc.tuple(someRound, fc.boolean()), { minLength: 1, maxLength: 8 });
const play = (check: (model: Model) => void) =>
  fc.assert(
    fc.property(someRounds, (rounds) => {
      const model = new Model();
      for (const [round, reaps] of rounds) {
        model.commit(round);
        if (reaps) model.reap();
      }
      model.reap();
      check(model);
    }),
    { numRuns: 1_000 },
  );

describe("after any rounds of yields, with the reaper in between or not", () => {
  test("every document that a producer wants is there as wanted, or its conflict is recorded", () => {
    play((model) => {
      for (const [by, wishes] of model.wishes) {
        for (const wanted of wishes) {
          const found = model.find(wanted);
          expect(found?.hash.equals(wanted.hash) || model.isRefused(by, wanted)).toBe(true);
        }
      }
    });
  });

  test("every document that is there is wanted as it is by somebody who counts as its producer", () => {
    play((model) => {
      for (const document of model.documents.values()) {
        const wanting = document.producers.filter(({ subject }) =>
          model.wishes.get(subject)?.some((one) => one.id === document.id && one.hash.equals(document.hash)),
        );
        expect(document.gone).toBe(false);
        expect(wanting).toEqual(document.producers);
        expect(wanting.length).toBeGreaterThan(0);
      }
    });
  });

  test("no id is there twice, and no producer counts twice for a document", () => {
    play((model) => {
      const found = [...model.documents.values()];
      expect(new Set(found.map((one) => one.id)).size).toBe(found.length);
      for (const { producers } of found) {
        expect(new Set(producers.map((one) => one.subject)).size).toBe(producers.length);
      }
    });
  });

  test("the same yields again change no document, and once conflicts that are over are shared, nothing at all", () => {
    play((model) => {
      const contents = () => [...model.documents.values()].map(({ id, hash }) => `${id} ${hash}`);
      const before = contents();
      model.commit(new Map(model.wishes));
      expect(contents()).toEqual(before);
      const again = new Set(model.commit(new Map(model.wishes)).map((one) => one.kind));
      expect([...again].filter((kind) => kind !== "keep" && kind !== "conflict")).toEqual([]);
    });
  });

  test("a part of a stream removes nothing and makes nobody leave what it does not mention", () => {
    fc.assert(
      fc.property(someRounds, someRound, (rounds, part) => {
        const model = new Model();
        for (const [round] of rounds) model.commit(round);
        model.reap();
        const mentioned = new Set([...part.values()].flat().map((one) => one.id));
        const before = new Map([...model.documents].filter(([, one]) => !mentioned.has(one.id)));
        const changes = model.commit(part, true);
        expect(changes.filter((one) => one.kind === "remove")).toEqual([]);
        for (const [subject, document] of before) expect(model.documents.get(subject)).toEqual(document);
      }),
    );
  });
});
