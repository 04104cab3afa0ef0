import { writeFileSync } from "node:fs";
import { sampleBook } from "./book.ts";
import { writePdf } from "./pdf-writer.ts";

/** Writes the sample again: node --conditions=@headway/source --import tsx pipelines/manuals/sample/build.ts */
writeFileSync(new URL("./tide-gauge.pdf", import.meta.url), writePdf(sampleBook()));
