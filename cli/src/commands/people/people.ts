import type { Adding } from "../../run.ts";
import { addPeopleList, addPeopleShow } from "./look.ts";
import { addPeopleMerge, addPeopleSplit } from "./review.ts";

export function addPeople({ program, console, end }: Adding): void {
  const people = program
    .command("people")
    .description("Show, merge and split persons with several addresses")
    .addHelpText(
      "after",
      `
Examples:
  headway people list --several
  headway people show dave@example.org
  headway people merge dave@example.org dthaler@example.net --why "told us so"
  headway people split dave@example.net --why "a namesake"

Rules join one full name and one address, also as a list rewrites it. A reviewer's word holds over rules and stands in the
audit; positions, digests and reports follow.`,
    );
  const given = { program: people, console, end };
  addPeopleList(given);
  addPeopleShow(given);
  addPeopleMerge(given);
  addPeopleSplit(given);
}
