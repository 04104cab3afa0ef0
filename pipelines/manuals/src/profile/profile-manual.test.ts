import { describe, expect, it } from "vitest";
import { pagesOf } from "../../test/pages-of.ts";
import type { PdfText } from "../generated/pdf-writer.ts";
import { writePdf } from "../generated/pdf-writer.ts";
import { takePrint } from "../plan/take-print.ts";
import { profileManual } from "./profile-manual.ts";

async function profileOf(title: string, pages: readonly (readonly PdfText[])[]) {
  const read = await pagesOf(writePdf({ title, pages: pages.map((texts) => ({ texts })) }));
  const sheet = { manual: "file", blob: "", pages: read.length, label: "", title, marks: [] };
  return profileManual(read.map((page) => takePrint({ ...sheet, number: page.number }, page)));
}

const line = (y: number, text: string, size = 10): PdfText => ({ x: 60, y, text, size });

describe("the profile of a manual", () => {
  it("has type, maker, model, revision and date, each with the lines that say so", async () => {
    const profile = await profileOf("Service manual TG-4", [
      [
        line(100, "Tide Gauge TG-4", 28),
        line(140, "Service Manual", 20),
        line(700, "© 2024 Northsea Instruments GmbH. All rights reserved."),
        line(720, "Rev. B, 2024-03-01"),
      ],
    ]);
    expect(profile).toMatchObject({
      type: { value: "service" },
      maker: { value: "Northsea Instruments GmbH" },
      models: [{ value: "TG-4" }],
      revision: { value: "B" },
      date: { value: "2024-03-01" },
    });
    expect(profile.type?.witnesses).toContainEqual({ page: 1, text: "Service Manual" });
  });

  it("is told in German", async () => {
    const profile = await profileOf("x", [
      [
        line(100, "Bedienungsanleitung", 24),
        line(200, "Die Pumpe ist mit dem Netz zu verbinden und nicht im Regen zu verwenden, oder bei Frost."),
      ],
    ]);
    expect([profile.type?.value, profile.language]).toEqual(["user", "german"]);
  });

  it("is unknown where nothing says so, and where two contradict", async () => {
    const nothing = await profileOf("scan0001", [[line(100, "Hello there.")]]);
    expect([nothing.type, nothing.maker, nothing.models]).toEqual([null, null, []]);
    const both = await profileOf("x", [[line(100, "User manual", 20), line(140, "Installation guide", 20)]]);
    expect(both.type).toBeNull();
  });
});
