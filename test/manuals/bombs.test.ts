import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { withLent } from "../../pipelines/manuals/src/pdf/lent-pdf.ts";
import { readPageFacts } from "../../pipelines/manuals/src/pdf/page-facts.ts";
import { renderPage } from "../../pipelines/manuals/src/pdf/render.ts";
import { sampleManualPath } from "../../pipelines/manuals/src/sample.ts";

const folder = mkdtempSync(join(tmpdir(), "headway-bombs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const stream = (entries: string, content: Buffer, filter = ""): Buffer =>
  Buffer.concat([
    Buffer.from(`<< ${entries} ${filter} /Length ${content.length} >>\nstream\n`),
    content,
    Buffer.from("\nendstream"),
  ]);
const packed = (entries: string, content: string): Buffer =>
  stream(entries, deflateSync(content), "/Filter /FlateDecode");

/** A PDF of one page: its content, its resources, and more objects from number 5 on. */
function bomb(name: string, content: Buffer, resources: string, more: readonly Buffer[] = []): string {
  const objects = [
    Buffer.from("<< /Type /Catalog /Pages 2 0 R >>"),
    Buffer.from("<< /Type /Pages /Count 1 /Kids [3 0 R] >>"),
    Buffer.from(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << ${resources} >> >>`,
    ),
    content,
    ...more,
  ];
  const body = objects.flatMap((object, at) => [
    Buffer.from(`${at + 1} 0 obj\n`),
    object,
    Buffer.from("\nendobj\n"),
  ]);
  const path = join(folder, name);
  writeFileSync(
    path,
    Buffer.concat([Buffer.from("%PDF-1.7\n"), ...body, Buffer.from("trailer << /Root 1 0 R >>")]),
  );
  return path;
}

const picture = (filter: string, data: Buffer): readonly Buffer[] => [
  stream(
    "/Type /XObject /Subtype /Image /Width 60000 /Height 60000 /ColorSpace /DeviceGray /BitsPerComponent 8",
    data,
    `/Filter /${filter}`,
  ),
];
const shown = packed("", "q 600 0 0 800 0 0 cm /I Do Q");

async function readEnd(path: string): Promise<string> {
  try {
    const { drawn, characters } = await withLent(path, (pdfium, pdf) => readPageFacts(pdfium, pdf, 1));
    return drawn.cut || characters.cut ? "cut" : "read";
  } catch (error) {
    return String((error as { code?: unknown }).code);
  }
}

async function paintEnd(path: string): Promise<string> {
  try {
    await withLent(path, (pdfium, pdf) => renderPage(pdfium, pdf, 1, { width: 300 }));
    return "painted";
  } catch (error) {
    return String((error as { code?: unknown }).code);
  }
}

describe("a bomb", { timeout: 120_000 }, () => {
  it.each([
    ["millions of lines", () => bomb("lines.pdf", packed("", "0 0 m 9 9 l S\n".repeat(3_000_000)), "")],
    [
      "forms in forms",
      () =>
        bomb("forms.pdf", packed("", "/X Do ".repeat(10)), "/XObject << /X 5 0 R >>", [
          ...Array.from({ length: 10 }, (_, at) =>
            packed(
              `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X ${6 + at} 0 R >> >>`,
              "/X Do ".repeat(10),
            ),
          ),
          packed("/Type /XObject /Subtype /Form /BBox [0 0 9 9]", "0 0 m 9 9 l S "),
        ]),
    ],
  ])("of %s is refused by the limit of memory, and the next page is read", async (_, make) => {
    expect(await readEnd(make())).toBe("pdf.memory");
    expect(await readEnd(sampleManualPath())).toBe("read");
  });

  it.each([
    ["JBIG2Decode", Buffer.from("00000000300001000000130000ea600000ea60000000000000000000000000", "hex")],
    ["JPXDecode", Buffer.from("ff4fff5100290000000000ea600000ea60", "hex")],
  ])(
    "of a picture (%s) costs its page no memory, and a painted page ends with a reason",
    async (filter, data) => {
      const path = bomb(`${filter}.pdf`, shown, "/XObject << /I 5 0 R >>", picture(filter, data));
      expect(await readEnd(path)).toBe("read");
      expect(["painted", "pdf.memory"]).toContain(await paintEnd(path));
      expect(await readEnd(sampleManualPath())).toBe("read");
      await withLent(sampleManualPath(), (pdfium) => expect(pdfium.taken()).toBeLessThan(400 << 20));
    },
  );

  it("of 2 GB is refused before a byte is read", async () => {
    const path = join(folder, "sparse.pdf");
    writeFileSync(path, "%PDF-1.7");
    truncateSync(path, 2 ** 31 + 10);
    expect(await readEnd(path)).toBe("pdf.too-large");
  });
});
