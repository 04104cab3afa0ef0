import type { EventRow, Operator, Verbs } from "@headway/engine/operate";
import { withDesk } from "../desk.ts";
import { Refusal } from "../exit-codes.ts";
import { parseSince } from "../past-moment.ts";
import { lookRepeatedly, untilInterrupted } from "../poll.ts";
import type { Adding } from "../run.ts";
import { parseCount, type SharedOptions, sharedFlags } from "../shared-options.ts";
import { showMoment } from "../show-time.ts";
import { type Console, oneLine, pad, shorten, showCount, widthOf } from "../terminal.ts";

const limitMax = 100_000;
const followMs = 1_000;

export function addEvents({ program, console }: Adding): void {
  program
    .command("events")
    .description("Show published events, and follow new events")
    .option("--type <type>", "only of this type, such as JSONParsed")
    .option("--since <when>", "from then on: how long ago (2h) or a date (2024-05-31)")
    .option("--limit <number>", "how many", "30")
    .option("--follow", "go on with new ones, until Ctrl-C")
    .option("--announce-again", "hand those since --since on once more, to consumers that lost them")
    .option("--why <text>", "with --announce-again: the reason, for the audit")
    .option("--dry-run", "with --announce-again: say how many, and change nothing")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway events --follow
  headway events --type ParsingFailed --since 2h
  headway events --json | jq -r .correlationId | xargs -n 1 headway trace
  headway events --announce-again --since 2h --type JSONParsed --dry-run

An event that was handed on is forgotten after some time; what happened to a document stays: headway trace ID.
Announced again, an event has the same event_id: a consumer that remembers ids takes none of them twice.`,
    )
    .action(async ({ type, since, limit: text, ...options }) => {
      if (options.announceAgain) return await announceAgain({ ...options, type, since }, console);
      const limit = parseCount(text, "--limit", limitMax);
      const tail = makeTail({ type, limit });
      if (!options.follow) {
        const rows = await withDesk(options, ({ operator }) => tail(operator, sinceOf(since, operator)));
        if (rows.length === 0 && !options.json) return console.warn("No event fits.\n");
        return show(rows, options, console);
      }
      await follow(options, async (operator) => tail(operator, sinceOf(since, operator)), console);
    });
}

interface Announcing extends SharedOptions {
  readonly type: string | undefined;
  readonly since: string | undefined;
  readonly why?: string | undefined;
  readonly dryRun?: boolean | undefined;
}

async function announceAgain({ type, since, why, ...options }: Announcing, console: Console): Promise<void> {
  if (since === undefined)
    throw new Refusal("--announce-again needs --since: how long ago (2h), or a date (2024-05-31).", 2);
  const dryRun = options.dryRun === true;
  const result = await withDesk(options, ({ operator }) =>
    operator.announceAgain({
      since: parseSince(since, "--since", operator.now()),
      dryRun,
      ...(type !== undefined && { type }),
      ...(why !== undefined && { why }),
    }),
  );
  if (options.json) return console.writeJson(result);
  if (result.events === 0) return console.warn("No event fits: what waits is handed on anyway.\n");
  console.write(`${dryRun ? "Would announce" : "Announced"} ${showCount(result.events, "event")} again.\n`);
}

async function follow(
  options: SharedOptions,
  next: (operator: Operator) => Promise<EventRow[]>,
  console: Console,
): Promise<void> {
  let looks = 0;
  await untilInterrupted((signal) =>
    lookRepeatedly(options, { everyMs: followMs, signal }, async ({ operator }) => {
      show(await next(operator), options, console);
      if (looks++ === 0) console.warn("Waiting for more; stop with Ctrl-C.\n");
    }),
  );
}

const sinceOf = (since: string | undefined, operator: Operator): Date | undefined =>
  since === undefined ? undefined : parseSince(since, "--since", operator.now());

/** Numbers are assigned before the commit: an earlier number may appear later, but never by this many. */
const overlap = 2_000;

/** New events since the last call; at first, the last events or events since a time. */
export function makeTail({ type, limit }: { readonly type: string | undefined; readonly limit: number }) {
  const only = type === undefined ? {} : { type };
  const shown = new Set<number>();
  let last: number | null = null;
  // Events from before the first look, unwanted then, are not shown later.
  let first = 0;
  return async (operator: Pick<Verbs, "events">, since?: Date): Promise<EventRow[]> => {
    const after = last === null ? {} : { after: Math.max(first, last - overlap) };
    const wanted = last === null ? { limit, ...(since && { since }) } : { limit: limitMax };
    const rows = await operator.events({ ...only, ...after, ...wanted });
    const fresh = rows.filter(({ id }) => !shown.has(id));
    for (const { id } of fresh) shown.add(id);
    if (last === null) first = Math.max(0, (rows[0]?.id ?? 1) - 1);
    last = Math.max(last ?? 0, ...rows.map(({ id }) => id));
    return fresh;
  };
}

function show(rows: readonly EventRow[], { json }: SharedOptions, console: Console): void {
  for (const row of rows) {
    if (json) console.writeJson(toJson(row));
    else console.write(`${lineOf(row, console)}\n`);
  }
}

const toJson = ({ id, type, at, data, correlation_id, relayed_at }: EventRow) => ({
  id,
  type,
  at,
  data,
  correlationId: correlation_id,
  relayedAt: relayed_at,
});

const typeWidth = 24;

function lineOf(
  { at, type, data, correlation_id: correlation }: EventRow,
  { columns, colors }: Console,
): string {
  const start = `${showMoment(at)}  ${pad(oneLine(type), typeWidth)}  `;
  const room = Math.max(20, columns - widthOf(start));
  const { document_id: document, stage, ...details } = data as Record<string, unknown>;
  const rest = Object.entries(details).map(([key, value]) => `${key}=${plain(value)}`);
  const text = oneLine([plain(document ?? ""), plain(stage ?? ""), ...rest].join("  "));
  // Half a correlation id is useless.
  const whole = widthOf(text) + 2 + widthOf(correlation) <= room ? `${text}  ${oneLine(correlation)}` : text;
  const failed = /Failed$/.test(type);
  const shown = `${start}${shorten(whole, room)}`;
  return failed ? colors.red(shown) : shown;
}

const plain = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
