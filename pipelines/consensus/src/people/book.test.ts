import { describe, expect, it } from "vitest";
import { type Author, makePeopleBook, type PeopleDecision } from "./book.ts";

const author = (name: string, address: string, messages = 1): Author => ({
  name,
  address,
  messages,
  lists: ["tides"],
  firstDate: "2024-01-01",
  lastDate: "2024-02-01",
});
const word = (act: number, kind: PeopleDecision["kind"], ...addresses: string[]): PeopleDecision => ({
  act,
  at: new Date("2024-03-01"),
  by: "rev",
  kind,
  addresses,
  why: "asked her",
});
const authors = [
  author("Ann Berg", "ann@work.example", 5),
  author("Ann Berg", "ann@home.example", 2),
  author("Berg, Ann", "ann=40work.example@dmarc.list.example"),
  author("Bo", "bo@one.example"),
  author("Bo", "bo@two.example"),
  author("B. Holm", "bholm@three.example"),
];
const shown = (decisions: readonly PeopleDecision[]) =>
  makePeopleBook(authors, decisions).people.map(({ addresses }) =>
    addresses.map(({ address }) => address).sort(),
  );

describe("the book of people", () => {
  it("joins one full name and rewritten addresses, with the evidence, and no bare first names", () => {
    const [ann, ...others] = makePeopleBook(authors).people;
    expect(ann).toMatchObject({ id: "ann@work.example", name: "Ann Berg", messages: 8 });
    expect(ann?.addresses).toHaveLength(3);
    expect(ann?.because).toEqual([
      "ann=40work.example@dmarc.list.example, ann@work.example: one address, rewritten by a list",
      "the name “ann berg” stands with ann=40work.example@dmarc.list.example, ann@home.example, ann@work.example",
    ]);
    expect(others).toHaveLength(3);
  });

  it("follows the words of reviewers, the last one first", () => {
    const merge = word(1, "merge", "bo@one.example", "BO@two.example", "bholm@three.example");
    expect(shown([merge])).toContainEqual(["bholm@three.example", "bo@one.example", "bo@two.example"]);
    const bo = makePeopleBook(authors, [merge]).find("bholm@three.example")[0];
    expect(bo?.because.join()).toContain("rev merged");
    const split = word(2, "split", "bo@two.example");
    expect(shown([merge, split])).toContainEqual(["bo@two.example"]);
    expect(shown([merge, split])).toContainEqual(["bholm@three.example", "bo@one.example"]);
    expect(shown([merge, split, word(3, "merge", "bo@two.example", "bo@one.example")])).toContainEqual([
      "bholm@three.example",
      "bo@one.example",
      "bo@two.example",
    ]);
  });

  it("parts what rules have joined", () => {
    const parted = makePeopleBook(authors, [word(1, "split", "ann@home.example")]);
    expect(parted.keyOf({ name: "Ann Berg", address: "ann@home.example" })).not.toBe(
      parted.keyOf({ name: "Ann Berg", address: "ann@work.example" }),
    );
    expect(parted.find("ann berg")).toHaveLength(2);
  });
});
