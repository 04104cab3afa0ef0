import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type SmallList, useSmallLists } from "../operating/small-list.ts";
import { anMbox, type MailSpec } from "./invented-mail.ts";

const lists = useSmallLists();
const ann = "Ann Berg <ann@work.example>";
const annAtHome = "Ann Berg <ann@home.example>";
const bo = "Bo <bo@one.example>";

const tides: readonly MailSpec[] = [
  {
    id: "v1",
    subject: "Adoption of draft-tide-gauges-01",
    from: "Chair Olsen <chair@example.org>",
    date: "Fri, 1 Mar 2024 10:00:00 +0000",
    text: "This is a call for adoption of draft-tide-gauges-01. Please say whether you support it.",
  },
  {
    id: "v1-ann",
    inReplyTo: "v1",
    subject: "Re: Adoption of draft-tide-gauges-01",
    from: ann,
    date: "Sat, 2 Mar 2024 10:00:00 +0000",
    text: "I object to the adoption, because there are no security considerations.",
  },
  {
    id: "v1-bo",
    inReplyTo: "v1",
    subject: "Re: Adoption of draft-tide-gauges-01",
    from: bo,
    date: "Sun, 3 Mar 2024 10:00:00 +0000",
    text: "I support the adoption of this draft.",
  },
];
const coast: readonly MailSpec[] = [
  {
    id: "v2",
    subject: "Last call: draft-tide-gauges-02",
    from: "Chair Olsen <chair@example.org>",
    date: "Mon, 1 Apr 2024 10:00:00 +0000",
    text: "Do you support publication of draft-tide-gauges-02? Please answer until Friday.",
  },
  {
    id: "v2-ann",
    inReplyTo: "v2",
    subject: "Re: Last call: draft-tide-gauges-02",
    from: annAtHome,
    date: "Tue, 2 Apr 2024 10:00:00 +0000",
    text: "I support publication of the draft now.",
  },
  {
    id: "other",
    subject: "draft-tide-gauges-extended-00",
    from: bo,
    date: "Tue, 2 Apr 2024 11:00:00 +0000",
    text: "A different draft.",
  },
];

async function readBoth(): Promise<SmallList> {
  const list = await lists.read("pglite", tides);
  const path = join(list.folder, "coast.mbox");
  await writeFile(path, anMbox(...coast));
  const { code, err } = await list.headway("ingest", path);
  if (code !== 0) throw new Error(err);
  return list;
}

describe("reports over threads and lists", () => {
  it("tell versions in order and changes of opinion, in every format; people and pages follow", async () => {
    const list = await readBoth();
    await reportsOfDraft(list);
    await pagesOfThreads(list);
    await reviewedPeople(list);
  });
});

async function reportsOfDraft(list: SmallList): Promise<void> {
  const json = await list.headway("report", "--draft", "draft-tide-gauges-07", "--format", "json");
  const report = JSON.parse(json.out);
  expect(report.lists).toEqual(["coast", "tides"]);
  expect(report.versions).toMatchObject([
    { version: "01", support: 1, object: 1 },
    { version: "02", support: 1, object: 0 },
  ]);
  // The same full name under two addresses is one person by the rules.
  expect(report.changes).toMatchObject([
    { from: { stance: "object", version: "01" }, to: { stance: "support", version: "02" } },
  ]);
  expect(report.threads).toHaveLength(2);
  const markdown = (await list.headway("report", "--draft", "draft-tide-gauges")).out;
  expect(markdown).toContain("## Changes of opinion");
  expect(markdown).toContain("| 01 | 2024-03-01 |");
  expect((await list.headway("report", "--draft", "draft-tide-gauges", "--format", "html")).out).toContain(
    "<h2>Versions</h2>",
  );
  const csv = (await list.headway("report", "--draft", "draft-tide-gauges", "--format", "csv")).out;
  expect(csv.split("\r\n")[0]).toBe("matter,version,stance,at,list,thread,message,quote,name,address");
  expect(csv.trim().split("\r\n")).toHaveLength(1 + report.opinions.length);
  const nothing = await list.headway("report", "--rfc", "1234");
  expect([nothing.code, nothing.err]).toEqual([1, expect.stringContaining("No mail mentions RFC 1234")]);
  expect((await list.headway("report", "--draft", "gauges")).err).toContain("expected a name such as");
}

async function pagesOfThreads(list: SmallList): Promise<void> {
  const first = await list.headway("threads", "--limit", "2");
  const [, next = ""] = /--after (\S+)\./.exec(first.err) ?? [];
  expect(first.err).toContain("2 of 3 threads");
  const second = await list.headway("threads", "--limit", "2", "--after", next);
  expect(second.out.trim().split("\n")).toHaveLength(2);
  expect((await list.headway("threads", "--count")).out).toBe("3\n");
  expect((await list.headway("threads", "--after", "nothing")).err).toContain("which is no thread");
}

async function reviewedPeople(list: SmallList): Promise<void> {
  const shown = (await list.headway("people", "show", "ann@home.example")).out;
  expect(shown).toContain("ann@work.example: 1 mail");
  expect(shown).toContain("because the name “ann berg” stands with");
  const dry = await list.headway("people", "split", "ann@home.example", "--dry-run");
  expect(dry.out).toContain("would be a person of its own");
  expect((await list.headway("people", "list", "--several", "--json")).out.trim().split("\n")).toHaveLength(
    1,
  );
  await list.headway("people", "split", "ann@home.example", "--why", "a namesake");
  expect((await list.headway("people", "list", "--several")).err).toContain("Nobody fits");
  const parted = JSON.parse((await list.headway("report", "--draft", "draft-tide-gauges", "--json")).out);
  expect(parted.changes).toEqual([]);
  const merge = ["people", "merge", "ann@home.example", "ann@work.example", "--why", "asked her"];
  expect((await list.headway(...merge)).out).toContain("Are one person");
  expect((await list.headway(...merge)).out).toBe("They are one person already.\n");
  const again = JSON.parse((await list.headway("report", "--draft", "draft-tide-gauges", "--json")).out);
  expect(again.changes).toHaveLength(1);
  const { history, because } = JSON.parse((await list.headway("people", "show", "ann berg", "--json")).out);
  expect(history).toMatchObject([{ kind: "split" }, { kind: "merge", why: "asked her" }]);
  expect(because.join()).toContain("merged");
  const acts = (await list.headway("audit", "--act", "people", "--json")).out.trim().split("\n");
  expect(acts).toHaveLength(2);
  expect((await list.headway("people", "show", "zoe")).err).toContain("headway people list lists all");
}
