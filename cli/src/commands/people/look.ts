import type { KnownPerson, PeopleBook } from "@headway/consensus";
import { lookAtConsensus } from "../../compose.ts";
import { Refusal } from "../../exit-codes.ts";
import { readPeopleBook, readPeopleDecisions } from "../../people-book.ts";
import type { Adding } from "../../run.ts";
import { parseCount, sharedFlags } from "../../shared-options.ts";
import { showMoment } from "../../show-time.ts";
import { oneLine, showCount, showDay, showNumber, table } from "../../terminal.ts";

export function addPeopleList({ program, console }: Adding): void {
  program
    .command("list", { isDefault: true })
    .description("List people by number of mails")
    .option("--several", "only people with several addresses")
    .option("--list <name>", "only people who wrote to this list")
    .option("--limit <number>", "how many", "50")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", "\nExamples:\n  headway people list --several --limit 20")
    .action(async (options) => {
      const { several = false, list } = options;
      const limit = parseCount(options.limit, "--limit", 1_000_000);
      const { people } = await lookAtConsensus(options, ({ engine }) => readPeopleBook(engine.database));
      const found = people
        .filter(({ addresses }) => !several || addresses.length > 1)
        .filter(({ lists }) => list === undefined || lists.includes(list));
      const shown = found.slice(0, limit);
      if (options.json) return shown.forEach(console.writeJson);
      if (shown.length === 0) return console.warn("Nobody fits.\n");
      console.write(`${table(shown, columns, console.columns)}\n`);
      const more = found.length > shown.length ? ` of ${showNumber(found.length)}` : "";
      console.warn(
        `${showNumber(shown.length)}${more} people. Look at one with: headway people show ADDRESS\n`,
      );
    });
}

const columns = [
  { title: "PERSON", of: ({ name }: KnownPerson) => name },
  { title: "MAILS", of: ({ messages }: KnownPerson) => showNumber(messages), align: "right" },
  { title: "LAST", of: ({ lastDate }: KnownPerson) => showDay(lastDate) },
  {
    title: "ADDRESSES",
    of: ({ addresses }: KnownPerson) => addresses.map(({ address }) => address).join(", "),
    flexible: true,
  },
] as const;

export function addPeopleShow({ program, console }: Adding): void {
  program
    .command("show")
    .description("Show one person: names, addresses, why they belong together, and what reviewers said")
    .argument("<who>", "an address, or a name")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", "\nExamples:\n  headway people show dave@example.org")
    .action(async (who, options) => {
      const { person, history } = await lookAtConsensus(options, async ({ engine }) => ({
        person: findPerson(await readPeopleBook(engine.database), who),
        history: await readPeopleDecisions(engine.database),
      }));
      const addresses = new Set(person.addresses.map(({ address }) => address));
      const own = history.filter((one) =>
        one.addresses.some((address) => addresses.has(address.toLowerCase())),
      );
      if (options.json) return console.writeJson({ ...person, history: own });
      const lines = [
        oneLine(person.name),
        ...person.addresses.map(
          ({ address, messages }) => `  ${oneLine(address)}: ${showCount(messages, "mail")}`,
        ),
        `  names: ${person.names.map(oneLine).join("; ")}`,
        `  lists: ${person.lists.map(oneLine).join(", ")}, ${showDay(person.firstDate)} to ${showDay(person.lastDate)}`,
        ...person.because.map((sentence) => `  because ${oneLine(sentence)}`),
        ...own.map(
          ({ act, at, by, kind, addresses: of, why }) =>
            `  act ${act}, ${showMoment(at)}: ${oneLine(by)}, ${kind} of ${of.map(oneLine).join(", ")}${why ? `: ${oneLine(why)}` : ""}`,
        ),
      ];
      console.write(`${lines.join("\n")}\n`);
    });
}

/** The only person of a name. */
export function findPerson(book: PeopleBook, given: string): KnownPerson {
  const [only, ...others] = book.find(given);
  if (!only) throw new Refusal(`Nobody is called "${oneLine(given)}"; headway people list lists all.`);
  if (others.length === 0) return only;
  const several = [only, ...others].slice(0, 5).map(({ name, id }) => `${oneLine(name)} <${oneLine(id)}>`);
  throw new Refusal(`"${oneLine(given)}" could be ${several.join(", ")}; give the address.`);
}
