import { stage } from "@headway/engine";
import { excerpts, recognitions, scans } from "../collections.ts";
import { excerptId, pageId } from "../identity.ts";
import { tellLanguage } from "../language.ts";
import { recognisedLines, recognisedParts } from "../ocr/recognised-text.ts";
import { ocr, painter } from "../services.ts";

const dotsPerInch = 200;

/** A page without text is read from its picture. While the reader is away only such pages wait. */
export const recognising = stage("recognising", {
  reads: scans,
  writes: [recognitions, excerpts],
  needs: [ocr, painter],
  timeout: "3m",
  retry: { attempts: 4 },
  async *run({ manual, blob, number, label, title, width }, { ocr, painter }) {
    const { png, scale } = await painter.picture({
      blob,
      page: number,
      width: Math.round((width / 72) * dotsPerInch),
    });
    const { lines, confidence } = recognisedLines(await ocr.read(png), scale);
    const parts = recognisedParts(lines);
    if (parts.length === 0) return;
    const language = tellLanguage(parts.join(" "));
    yield recognitions.document(pageId(manual, number), {
      manual,
      number,
      label,
      reader: ocr.name,
      confidence,
      lines,
    });
    for (const [ordinal, text] of parts.entries())
      yield excerpts.document(`${excerptId(manual, number, text, ordinal)}#ocr`, {
        ...{ manual, title, page: number, label, language, crumbs: "", text },
        recognised: true,
      });
  },
});
