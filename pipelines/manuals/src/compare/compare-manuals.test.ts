import { describe, expect, it } from "vitest";
import type { ManualContent } from "../export/manual-content.ts";
import { compareManuals } from "./compare-manuals.ts";

const manual = {
  id: "a",
  title: "",
  place: "",
  pages: 1,
  read: 1,
  thin: 0,
  garbled: 0,
  excerpts: 0,
  codes: 0,
};
const page = (number: number, text: string): ManualContent["pages"][number] => ({
  ...{ manual: "a", number, label: "", width: 600, height: 800, standing: "good", cut: false },
  words: text.split(" ").map((word, at) => [word, at * 40, 100, at * 40 + 30, 110, 10, 0, at, at] as const),
  blocks: [{ from: 0, to: text.split(" ").length, size: 10, bold: false }],
  ...{ horizontal: [], vertical: [], pictures: [], links: [] },
});
const code = (name: string, remedy: string): ManualContent["codes"][number] => ({
  ...{ manual: "a", page: 1, label: "", box: [0, 0, 1, 1], quote: name, witness: "", reader: "columns" },
  ...{ code: name, problem: "Stuck", cause: "", remedy },
});
const edition = (pages: ManualContent["pages"], codes: ManualContent["codes"]): ManualContent => ({
  manual,
  profile: null,
  pages,
  plans: [],
  tables: [],
  codes,
  parts: [],
  pictures: [],
  findings: [],
});

const cleaning = "Clean the float with a wooden spatula every spring before the storms begin again";
const battery = "The battery lasts for two winters and is changed by two people together";

describe("two editions of a manual", () => {
  it("without a difference have none, even with pages moved", () => {
    const before = edition([page(1, cleaning), page(2, battery)], [code("E1", "Wait")]);
    const after = edition([page(1, battery), page(2, cleaning)], [code("E1", "Wait")]);
    expect(compareManuals(before, after)).toEqual([]);
  });

  it("differ in pages and codes, with words of both", () => {
    const before = edition([page(1, cleaning), page(2, battery)], [code("E1", "Wait"), code("E2", "Run")]);
    const after = edition(
      [page(1, cleaning.replace("wooden", "plastic"))],
      [code("E1", "Restart"), code("E3", "Ask")],
    );
    expect(
      compareManuals(before, after).map(({ kind, what, name, before: old, after: fresh }) => [
        kind,
        what,
        name,
        old?.quote,
        fresh?.quote,
      ]),
    ).toEqual([
      ["page", "changed", "page 1", cleaning, cleaning.replace("wooden", "plastic")],
      ["page", "removed", "page 2", battery, undefined],
      ["code", "changed", "E1", "Stuck | Wait", "Stuck | Restart"],
      ["code", "added", "E3", undefined, "Stuck | Ask"],
      ["code", "removed", "E2", "Stuck | Run", undefined],
    ]);
  });
});
