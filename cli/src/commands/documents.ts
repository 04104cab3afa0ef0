import { Option } from "@commander-js/extra-typings";
import { readConfig } from "@headway/engine";
import { readSettingsFile, seedDocumentFields, seedStatuses } from "@headway/engine/internal";
import {
  type DocumentState,
  documentStates,
  type ListedDocument,
  type Operator,
} from "@headway/engine/operate";
import { withDesk } from "../desk.ts";
import { Refusal } from "../exit-codes.ts";
import { findNamed, shellWord } from "../find-named.ts";
import { parseWhere } from "../parse-where.ts";
import type { Adding } from "../run.ts";
import { parseCount, parseSpan, type SharedOptions, sharedFlags } from "../shared-options.ts";
import { showRelative } from "../show-time.ts";
import { type Column, type Console, printable, showCount, showNumber, table } from "../terminal.ts";

const collect = (value: string, before: string[] = []): string[] => [...before, value];

interface Options extends SharedOptions {
  readonly collection?: string | undefined;
  readonly where?: string[] | undefined;
  readonly state?: DocumentState | undefined;
  readonly stage?: string | undefined;
  readonly stuck?: string | true | undefined;
  readonly after?: string | undefined;
  readonly limit: string;
  readonly body?: boolean | undefined;
}

export function addDocuments({ program, console }: Adding): void {
  program
    .command("documents")
    .description("List collections and documents, or show a document")
    .argument("[id]", "only this one")
    .option("--collection <name>", "the collection to list")
    .option(
      "--where <key=value>",
      "only with this in its content, also several times; author.name=Ann looks inside",
      collect,
    )
    .addOption(
      new Option("--state <state>", `only documents in this state: ${documentStates.join(", ")}`).argParser(
        parseState,
      ),
    )
    .option("--stage <stage>", "with --state: at this stage (default: at any)")
    .option(
      "--stuck [age]",
      "only what has been owed for so long (default: RETRY_JOB_STUCK_THRESHOLD_HOURS, 24h)",
    )
    .option("--after <id>", "only ids after this one, to page on")
    .option("--limit <number>", "how many", "50")
    .option("--body", "show the content too")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway documents                                        which collections there are
  headway documents --collection messages --state dead
  headway documents --collection messages --where list=quic --limit 10
  headway documents --collection messages --stuck 2h
  headway documents '<1234@example.org>' --body            one document with its content

STATE is the worst of a document's stages: dead, claimed, waiting, done; STATUS says the same in the words of
events (pending, failed, failed_max_retries, completed). TRIES are the most attempts at any stage. To see each stage: headway explain ID.`,
    )
    .action((id, options) =>
      withDesk(options, async ({ operator }) => {
        const named = options.collection === undefined ? await collectionNamed(operator, id) : undefined;
        if (id !== undefined && named === undefined) return await showOne(operator, id, options, console);
        const collection = options.collection ?? named;
        if (collection !== undefined) return await showPage(operator, collection, options, console);
        await showCollections(operator, options, console);
      }),
    );
}

/** `headway documents letters` means `--collection letters`, where such a collection exists. */
async function collectionNamed(operator: Operator, word: string | undefined): Promise<string | undefined> {
  if (word === undefined) return undefined;
  return (await operator.collections()).find(({ name }) => name === word)?.name;
}

/** One of our states, or a status of the seeds. */
function parseState(word: string): DocumentState {
  if (Object.hasOwn(seedStatuses, word)) return seedStatuses[word as keyof typeof seedStatuses];
  const state = documentStates.find((one) => one === word);
  if (state) return state;
  const known = [...documentStates, ...Object.keys(seedStatuses)].join(", ");
  throw new Refusal(`--state is "${word}"; expected one of: ${known}.`, 2);
}

async function showCollections(operator: Operator, options: Options, console: Console): Promise<void> {
  if (options.where || options.state || options.stuck || options.after !== undefined) {
    throw new Refusal(
      "Say which collection: headway documents --collection NAME; headway documents lists them.",
      2,
    );
  }
  const rows = await operator.collections();
  if (options.json) return rows.forEach(console.writeJson);
  if (rows.length === 0)
    return console.warn('There are no documents yet: read an archive with "headway ingest PATH".\n');
  const columns: Column<(typeof rows)[number]>[] = [
    { title: "COLLECTION", of: ({ name }) => name },
    { title: "DOCUMENTS", of: ({ documents }) => showNumber(documents), align: "right" },
    { title: "DELETED", of: ({ deleted }) => showNumber(deleted), align: "right" },
  ];
  console.write(`${table(rows, columns, console.columns)}\n`);
  console.warn("List one with: headway documents --collection NAME\n");
}

async function showPage(
  operator: Operator,
  collection: string,
  options: Options,
  console: Console,
): Promise<void> {
  const limit = parseCount(options.limit, "--limit", 100_000);
  const { state, stage, after = "", body = false } = options;
  const where = parseWhere(options.where ?? [], "--where");
  const filter = { collection, where, state, stage, stuckMs: stuckMsOf(options) };
  const rows = await operator.documents(filter, { after, limit, body });
  if (options.json) return rows.map((row) => toJson(collection, row, body)).forEach(console.writeJson);
  if (rows.length === 0) return console.warn("No document fits.\n");
  if (body) for (const row of rows) showWhole(collection, row, console);
  else console.write(`${table(rows, columnsAt(operator.now()), console.columns)}\n`);
  const last = rows.at(-1) as ListedDocument;
  const more = rows.length === limit ? ` Go on with: --after ${shellWord(last.id)}` : "";
  console.warn(`${showCount(rows.length, "document")}.${more}\n`);
}

/** Something counts as stuck for alerts after the same time. */
function stuckMsOf({ stuck }: Options): number | undefined {
  if (stuck === undefined) return undefined;
  if (stuck !== true) return parseSpan(stuck, "--stuck");
  return readConfig({}, process.env, readSettingsFile(process.env.HEADWAY_CONFIG)).config.stuckMs;
}

async function showOne(operator: Operator, id: string, options: Options, console: Console): Promise<void> {
  const { collection, stage, body = false } = options;
  const named = await findNamed(operator, id, { collection }, "headway documents");
  if (named.collection === null) {
    throw new Refusal(
      `"${id}" is a group of ${named.stage} and has no content of its own; type: headway explain ${shellWord(id)} --stage ${named.stage}`,
    );
  }
  const [row] = await operator.documents(
    { collection: named.collection, ids: [named.id], stage },
    { limit: 1, body },
  );
  if (!row)
    throw new Refusal(`"${id}" was deleted; see what is left of it with: headway explain ${shellWord(id)}`);
  if (options.json) return console.writeJson(toJson(named.collection, row, body));
  if (body) showWhole(named.collection, row, console);
  else {
    console.write(`${table([row], columnsAt(operator.now()), console.columns)}\n`);
    console.warn(`Its story: headway trace req_${row.request}\n`);
  }
}

const toJson = (collection: string, { body, ...row }: ListedDocument, whole: boolean) => ({
  collection,
  id: row.id,
  state: row.state,
  status: row.status,
  attemptCount: row.attempts,
  lastAttemptTime: row.last_attempt_at,
  request: `req_${row.request}`,
  createdAt: row.created_at,
  changedAt: row.changed_at,
  bytes: row.bytes,
  ...seedDocumentFields(collection, row.state),
  ...(whole && { body }),
});

function showWhole(collection: string, { id, state, request, body }: ListedDocument, console: Console): void {
  const title = console.colors.bold(printable(`${collection}/${id}`));
  console.write(`${title}  ${state}  req_${request}\n${printable(JSON.stringify(body, null, 2))}\n\n`);
}

const columnsAt = (now: Date): Column<ListedDocument>[] => [
  { title: "ID", of: ({ id }) => id, flexible: true },
  { title: "STATE", of: ({ state }) => state },
  { title: "STATUS", of: ({ status }) => status },
  { title: "TRIES", of: ({ attempts }) => showNumber(attempts), align: "right" },
  { title: "LAST TRY", of: ({ last_attempt_at: at }) => (at ? showRelative(at, now) : "") },
  { title: "BYTES", of: ({ bytes }) => showNumber(bytes), align: "right" },
  { title: "CAME", of: ({ created_at: at }) => showRelative(at, now) },
  {
    title: "CHANGED",
    of: ({ created_at, changed_at }) => (changed_at > created_at ? showRelative(changed_at, now) : ""),
  },
];
