import { writeFileSync } from "node:fs";
import { writePdf } from "../src/generated/pdf-writer.ts";
import { sampleBook } from "./book.ts";

/** Writes the sample again: node --conditions=@headway/source --import tsx pipelines/manuals/sample/build.ts */
writeFileSync(new URL("./tide-gauge.pdf", import.meta.url), writePdf(sampleBook()));
