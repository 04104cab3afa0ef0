import { describe, expect, it } from "vitest";
import { type Owned, own } from "./own.ts";

const stage = (pipeline: string, name: string, reads: string, writes: string[] = []): Owned => ({
  pipeline,
  kind: "stage",
  name,
  meaning: { shape: "single", reads, writes },
});
const collection = (pipeline: string, name: string, ...fields: string[]): Owned => ({
  pipeline,
  kind: "collection",
  name,
  meaning: { fields },
});

describe("who owns a name", () => {
  it("a name that nobody has is free, and a second start with the same code changes nothing", () => {
    const mine = [stage("post", "parsing", "letters", ["words"]), collection("post", "letters", "text")];
    expect(own(mine, [])).toEqual({ kind: "granted", put: mine, drop: [], returned: ["parsing"] });
    expect(own(mine, mine)).toEqual({ kind: "granted", put: [], drop: [], returned: [] });
  });

  it("a pipeline may change, add and leave out what is its own", () => {
    const before = [stage("post", "parsing", "letters"), stage("post", "old", "letters")];
    const after = [stage("post", "parsing", "parcels"), stage("post", "new", "parcels")];
    expect(own(after, before)).toEqual({
      kind: "granted",
      put: after,
      drop: [before[1]],
      returned: ["new"],
    });
    expect(own(before, after)).toMatchObject({ returned: ["old"] });
  });

  it("a stage that reads or writes something else is refused with what to do", () => {
    const theirs = [stage("consensus", "parsing", "mails", ["readings"])];
    expect(own([stage("post", "parsing", "letters", ["words"])], theirs)).toEqual({
      kind: "refused",
      sentence:
        'The stage "parsing" of pipeline "post" reads letters and writes words, but in this database it belongs to ' +
        'pipeline "consensus", where it reads mails and writes readings: give one of them another name, or each ' +
        "pipeline a database or schema of its own.",
    });
  });

  it("a stage is shared by pipelines that mean the same, and both are in one process to change it", () => {
    const one = stage("a", "parsing", "mails", ["readings"]);
    expect(own([{ ...one, pipeline: "b" }], [one]).kind).toBe("granted");
    const changed = { ...one, meaning: { shape: "batch", reads: "mails", writes: [] } };
    expect(own([changed], [one, { ...one, pipeline: "b" }]).kind).toBe("refused");
    expect(own([changed, { ...changed, pipeline: "b" }], [one, { ...one, pipeline: "b" }]).kind).toBe(
      "granted",
    );
  });

  it("a collection with more fields is the same one, with other fields another", () => {
    const theirs = [collection("a", "letters", "from", "text")];
    expect(own([collection("b", "letters", "from", "sent", "text")], theirs).kind).toBe("granted");
    expect(own([collection("b", "letters", "from")], theirs).kind).toBe("granted");
    expect(own([{ ...collection("b", "letters"), meaning: null }], theirs).kind).toBe("granted");
    expect(own([collection("b", "letters", "weight")], theirs)).toMatchObject({
      kind: "refused",
      sentence: expect.stringContaining("has the fields weight, but in this database"),
    });
  });

  it("stages from before ownership was recorded belong to the first that declares them", () => {
    const legacy: Owned = { pipeline: "", kind: "stage", name: "parsing", meaning: null };
    const mine = stage("post", "parsing", "letters");
    expect(own([mine], [legacy])).toEqual({ kind: "granted", put: [mine], drop: [legacy], returned: [] });
  });
});
