import {
  type ConsensusReader,
  findThreadsWith,
  htmlOfMatter,
  type Matter,
  type MatterKind,
  markdownOfMatter,
  matterKinds,
  matterReport,
  readMatter,
  readStory,
  type ThreadStory,
} from "@headway/consensus";
import { exitCodes, Refusal } from "../exit-codes.ts";
import { readPeopleBook } from "../people-book.ts";
import { oneLine, safeJson } from "../terminal.ts";
import { csvTable } from "./export.ts";

const threadsMax = 2_000;

const examples: Readonly<Record<MatterKind, string>> = {
  draft: "draft-ietf-quic-recovery",
  rfc: "9000",
  issue: "#1234 or ABC-123",
  series: '"docs: Explain helper functions"',
  release: "1.8.6",
};

/** The subject of a report, by option; null: no option is given. */
export function matterOf(options: Partial<Record<MatterKind, string>>): Matter | null {
  const given = matterKinds.filter((kind) => options[kind] !== undefined);
  const [kind, ...others] = given;
  if (kind === undefined) return null;
  if (others.length > 0) throw new Refusal(`Give one of ${given.map((one) => `--${one}`).join(", ")}.`, 2);
  const matter = readMatter(kind, options[kind] ?? "");
  if (matter) return matter;
  throw new Refusal(
    `--${kind} is "${oneLine(options[kind] ?? "")}"; expected a name such as ${examples[kind]}.`,
    exitCodes.usage,
  );
}

/** The report of all threads about a subject. */
export async function reportMatter(
  { engine }: ConsensusReader,
  matter: Matter,
  { format, list }: { readonly format: string; readonly list?: string | undefined },
): Promise<string> {
  const { database } = engine;
  const found = await findThreadsWith(database, {
    literal: matter.literal,
    limit: threadsMax,
    ...(list !== undefined && { list }),
  });
  const stories: ThreadStory[] = [];
  for (const id of found) {
    const story = await readStory(database, id);
    if (story) stories.push(story);
  }
  const people = await readPeopleBook(database);
  const report = matterReport(matter, stories, people.keyOf);
  if (report.mentions === 0)
    throw new Refusal(`No mail mentions ${oneLine(matter.name)}; headway search finds related words.`);
  if (format === "json") return safeJson(report, 2);
  if (format === "html") return htmlOfMatter(report);
  if (format === "csv")
    return csvTable(
      report.opinions.map(({ person, ...one }) => ({
        matter: matter.name,
        ...one,
        name: person.name,
        address: person.address,
      })),
    );
  return markdownOfMatter(report);
}
