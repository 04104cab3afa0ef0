import type { Database } from "@headway/engine";
import { recordAct } from "@headway/engine/internal";
import { lookAtConsensus } from "../../compose.ts";
import { actorName } from "../../desk.ts";
import { exitCodes, Refusal } from "../../exit-codes.ts";
import { readPeopleBook } from "../../people-book.ts";
import type { Adding } from "../../run.ts";
import { sharedFlags } from "../../shared-options.ts";
import { oneLine } from "../../terminal.ts";
import { findPerson } from "./look.ts";

export function addPeopleMerge({ program, console }: Adding): void {
  program
    .command("merge")
    .description("Say that several addresses are one person")
    .argument("<who...>", "two or more addresses or names")
    .option("--why <text>", "the reason, for the audit and for readers")
    .option("--dry-run", "say what would be done, and change nothing")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      '\nExamples:\n  headway people merge ann@work.example ann@home.example --why "asked her"',
    )
    .action(async (who, options) => {
      if (who.length < 2) throw new Refusal("Name two or more addresses to merge.", exitCodes.usage);
      const { why, dryRun = false } = options;
      const { addresses, changed } = await lookAtConsensus(options, async ({ engine: { database } }) => {
        const book = await readPeopleBook(database);
        const people = who.map((given) => findPerson(book, given));
        const news = new Set(people.map(({ id }) => id)).size > 1;
        const all = [...new Set(people.flatMap(({ addresses: of }) => of.map(({ address }) => address)))];
        if (news && !dryRun) await decide(database, "people.merge", all, why);
        return { addresses: all, changed: news };
      });
      if (options.json) return console.writeJson({ addresses, changed, dryRun });
      if (!changed) return console.write("They are one person already.\n");
      console.write(`${dryRun ? "Would be" : "Are"} one person: ${addresses.map(oneLine).join(", ")}.\n`);
    });
}

export function addPeopleSplit({ program, console }: Adding): void {
  program
    .command("split")
    .description("Say that an address is a person of its own")
    .argument("<address>", "the address that belongs to somebody else")
    .option("--why <text>", "the reason, for the audit and for readers")
    .option("--dry-run", "say what would be done, and change nothing")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", '\nExamples:\n  headway people split bo@two.example --why "a namesake"')
    .action(async (given, options) => {
      const { why, dryRun = false } = options;
      const address = given.trim().toLowerCase();
      const changed = await lookAtConsensus(options, async ({ engine: { database } }) => {
        const person = findPerson(await readPeopleBook(database), address);
        if (!person.addresses.some((one) => one.address === address))
          throw new Refusal(`Give an address of ${oneLine(person.name)}: headway people show ${person.id}`);
        const news = person.addresses.length > 1;
        if (news && !dryRun) await decide(database, "people.split", [address], why);
        return news;
      });
      if (options.json) return console.writeJson({ address, changed, dryRun });
      if (!changed) return console.write(`${oneLine(address)} stands alone already.\n`);
      console.write(`${oneLine(address)} ${dryRun ? "would be" : "is"} a person of its own.\n`);
    });
}

/** The act is the decision: the book of people replays the audit. */
const decide = (
  database: Database,
  act: "people.merge" | "people.split",
  addresses: readonly string[],
  why: string | undefined,
): Promise<void> =>
  recordAct(
    { database, actor: actorName() },
    { act, target: addresses.join(", ").slice(0, 500), why, detail: { addresses } },
  );
