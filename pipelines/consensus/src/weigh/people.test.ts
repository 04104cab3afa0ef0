import { describe, expect, it } from "vitest";
import type { Person, Post } from "./findings.ts";
import { meetPeople } from "./people.ts";

const aPost = (name: string, address: string): Post => ({
  id: `${name} ${address}`,
  parent: null,
  from: { name, address },
  date: null,
  subject: "",
  clean: "",
});

const heads = (...from: readonly (readonly [string, string])[]): readonly Person[] =>
  meetPeople(from.map(([name, address]) => aPost(name, address))).all;

describe("people", () => {
  it("are told apart by address, in whatever letters", () => {
    expect(
      heads(["Ann", "Ann@Example.org"], ["ann lee", "ann@example.org"], ["Bo", "bo@example.org"]),
    ).toHaveLength(2);
  });

  it("with one full name under two addresses are one person", () => {
    expect(heads(["Ann Lee", "ann@work.example"], ["Lee, Ann", "ann@home.example"])).toHaveLength(1);
    expect(heads(["José Núñez", "a@x.example"], ["Jose Nunez", "b@x.example"])).toHaveLength(1);
    expect(heads(["Jose E. Marchand", "a@x.example"], ["Jose Marchand", "b@x.example"])).toHaveLength(1);
  });

  it("with one first name are two", () => {
    expect(heads(["John", "john@a.example"], ["John", "john@b.example"])).toHaveLength(2);
  });

  it("are one when an address and a name link them later", () => {
    expect(
      heads(["J", "a@x.example"], ["Jane Doe", "b@x.example"], ["Jane Doe", "a@x.example"]),
    ).toHaveLength(1);
  });

  it("are told apart by name where a list or a bot sends for them", () => {
    const list = "list@lists.example";
    expect(heads(["Ann Lee via List", list], ["Bo Kim via List", list])).toHaveLength(2);
    expect(heads(["ann", "notifications@forge.example"], ["bo", "notifications@forge.example"])).toHaveLength(
      2,
    );
    expect(heads(["ann", "git@forge.example"], ["bo", "git@forge.example"])).toHaveLength(2);
  });

  it("are found behind a rewritten address", () => {
    expect(heads(["Ann", "ann=40example.org@dmarc.lists.example"], ["", "ann@example.org"])).toHaveLength(1);
  });
});
