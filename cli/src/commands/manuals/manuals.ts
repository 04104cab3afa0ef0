import type { Adding } from "../../run.ts";
import { addManualsChanges } from "./changes.ts";
import { addManualsCodes, addManualsFindings, addManualsParts } from "./codes.ts";
import { addManualsExport, addManualsReport } from "./export.ts";
import { addManualsIngest } from "./ingest.ts";
import { addManualsList, addManualsShow } from "./list.ts";
import { addManualsPicture } from "./picture.ts";
import { addManualsSearch } from "./search.ts";
import { addManualsTables } from "./tables.ts";

/** Commands of the manuals pipeline, below a name of their own. */
export function addManuals({ program, ...rest }: Adding): void {
  const below = program
    .command("manuals")
    .description("Read and search manuals (PDF), look up codes")
    .addHelpText("after", "\nExamples:\n  headway manuals ingest pump.pdf\n  headway manuals codes E-117");
  const given = { ...rest, program: below as unknown as Adding["program"] };
  addManualsIngest(given);
  addManualsList(given);
  addManualsShow(given);
  addManualsSearch(given);
  addManualsPicture(given);
  addManualsTables(given);
  addManualsExport(given);
  addManualsReport(given);
  addManualsChanges(given);
  addManualsCodes(given);
  addManualsParts(given);
  addManualsFindings(given);
}
