import { readFileSync } from "node:fs";
import { inflateSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { entriesOf } from "../../test/pages-of.ts";
import { sampleManualPath } from "../sample.ts";
import { openPagePictures } from "./page-pictures.ts";

const pictures = openPagePictures({ path: async () => sampleManualPath() });
afterAll(() => pictures.close());

/** Colours of a PNG written by us: rows as differences to the row above. */
function colours(png: Buffer): { readonly width: number; at(x: number, y: number): readonly number[] } {
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const rows = inflateSync(png.subarray(41, 41 + png.readUInt32BE(33)));
  const stride = 1 + 3 * width;
  const bytes = Buffer.alloc(3 * width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < 3 * width; x++)
      bytes[y * 3 * width + x] =
        (rows[y * stride + 1 + x] ?? 0) + (y === 0 ? 0 : (bytes[(y - 1) * 3 * width + x] ?? 0));
  return { width, at: (x, y) => [...bytes.subarray(3 * (y * width + x), 3 * (y * width + x) + 3)] };
}

describe("a picture of a page", () => {
  it("shows marked words in yellow and the rest of the page white", async () => {
    const entry = (await entriesOf(readFileSync(sampleManualPath()))).find(
      ({ texts }) => texts.code === "E-117",
    );
    expect(entry?.page).toBe(6);
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = entry?.box ?? [];
    const { png, width, scale } = await pictures.picture({
      blob: "sample",
      page: 6,
      width: 595,
      marks: [[x0, y0, x1, y1]],
    });
    const page = colours(png);
    expect([page.width, width, scale]).toEqual([595, 595, 1]);
    expect(page.at(Math.round(x1), Math.round(y0))).toEqual([255, 235, 102]);
    expect(page.at(5, 5)).toEqual([255, 255, 255]);
  });

  it("may be a part of the page, and a wide one is held to the limit", async () => {
    const part = await pictures.picture({
      blob: "sample",
      page: 1,
      width: 595,
      region: [100, 100, 200, 150],
    });
    expect([part.width, part.height]).toEqual([102, 52]);
    const wide = await pictures.picture({ blob: "sample", page: 1, width: 1e9, region: [0, 0, 9, 9] });
    expect(wide.scale).toBeLessThan(7);
  });

  it("of a page that is not there is refused with a reason, and the next one is painted", async () => {
    await expect(pictures.picture({ blob: "sample", page: 99 })).rejects.toMatchObject({ code: "pdf.page" });
    expect((await pictures.picture({ blob: "sample", page: 2, width: 100 })).width).toBe(100);
  });
});
