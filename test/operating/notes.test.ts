import { describe, expect, it } from "vitest";
import { type SmallList, useSmallLists } from "./small-list.ts";

const lists = useSmallLists();

describe.each(["pglite", "postgres"] as const)("a note on %s", (kind) => {
  it("stands in the audit and on the page of its subject, and nothing is noted by a dry run or about nothing", async () => {
    const list = await lists.read(kind);
    const text = "cut off by the server,\u001b[31m asked for a new copy";
    const archive = JSON.parse(
      (await list.headway("documents", "--collection", "archives", "--json")).out.split("\n")[0] ?? "",
    );
    const name = `archives/${archive.id}`;
    const dry = await list.headway("note", name, text, "--dry-run");
    expect(dry.out).toBe(`Would note on document ${name}.\n`);
    expect((await list.headway("note")).err).toContain("No note yet");
    expect((await list.headway("note", name, text)).out).toMatch(
      /^Noted on document archives\/.*, as act \d+\.\n$/,
    );
    await list.headway("note", "stage:parsing", "slow since Monday");
    await list.headway("note", "parsing", "and still on Tuesday");

    const explained = await list.headway("explain", name);
    expect(explained.out).toContain(`Note on document ${name} by`);
    expect(explained.out).toContain("asked for a new copy");
    expect(explained.out).not.toContain("\u001b[31m");
    const parsed = (await list.headway("explain", name, "--json")).out.trim();
    expect(JSON.parse(parsed).notes).toMatchObject([{ text, about: { kind: "document", name } }]);
    expect((await list.headway("trace", name)).out).toContain("note.add");

    const acts = (await list.headway("audit", "--act", "note", "--json")).out.trim().split("\n");
    const [tuesday] = acts.map((line) => JSON.parse(line));
    expect(acts).toHaveLength(3);
    expect(tuesday).toMatchObject({ act: "note.add", target: "parsing", why: "and still on Tuesday" });
    await list.headway("note", `act:${tuesday.id}`, "it was a Wednesday");
    expect((await list.headway("note", `act:${tuesday.id}`)).out).toContain("it was a Wednesday");
    const ofStage = (await list.headway("note", "stage:parsing", "--json")).out.trim().split("\n");
    expect(ofStage.map((line) => JSON.parse(line).text)).toEqual([
      "and still on Tuesday",
      "slow since Monday",
    ]);
    await refused(list);
  });
});

/** About nothing that is there: refused with advice, and nothing is noted. */
async function refused(list: SmallList): Promise<void> {
  for (const [target, said] of [
    ["stage:nowhere", 'There is no stage "nowhere"'],
    ["source:nowhere", '"headway sources" lists them'],
    ["alert:99", 'see them with "headway alerts list"'],
    ["act:99999", 'see them with "headway audit"'],
    ["act:x", "has a number"],
    ["no-such-document", "headway documents lists what there is"],
  ] as const) {
    const { code, err } = await list.headway("note", target, "words");
    expect(code, target).toBe(1);
    expect(err).toContain(said);
  }
  expect((await list.headway("note", "--json")).out.trim().split("\n")).toHaveLength(4);
}
