import type { DeadFault, ExportedDeadLetter, Operator } from "@headway/engine/operate";
import { withDesk } from "../../desk.ts";
import { Refusal } from "../../exit-codes.ts";
import { parseCount } from "../../shared-options.ts";
import { showMoment, showWhen } from "../../show-time.ts";
import { type Console, oneLine, printable, shorten, showCount, wrap } from "../../terminal.ts";
import type { AddingFailed } from "./failed.ts";
import { addQuarantine, quarantinedOf } from "./quarantine.ts";
import { inspectDeliveries } from "./quarantine-inspect.ts";
import { addSelection, filterOf, limitOf } from "./select.ts";

const shownMax = 10;

export function addInspect({ group, console }: AddingFailed): void {
  const command = group
    .command("inspect")
    .description("Show dead letters whole: original input, every fault, attempts, versions; page by page");
  addQuarantine(addSelection(command))
    .option("--after <number>", "go on after this dead letter")
    .option("--full", "the whole input, whole messages and stacks")
    .addHelpText(
      "after",
      `
Examples:
  headway failed inspect 17
  headway failed inspect parsing --limit 3
  headway failed inspect parsing --limit 3 --after 17      the next page: nothing is repeated, nothing left out
  headway failed inspect --code mail.unreadable --limit 100000 --json
  headway failed inspect q12                               a delivery in quarantine: what came with it, how it begins`,
    )
    .action(async (which, options) => {
      const after =
        options.after === undefined ? 0 : parseCount(options.after, "--after", Number.MAX_SAFE_INTEGER);
      const deliveries = quarantinedOf(which, options);
      if (deliveries) return await inspectDeliveries(deliveries, options, { console, after });
      const asked = filterOf(which, options);
      const filter = asked.ids ? ({ ...asked, state: "all" } as const) : asked;
      const limit = limitOf(options) ?? (asked.ids ? asked.ids.length : shownMax);
      await withDesk(options, async ({ operator }) => {
        let last: ExportedDeadLetter | undefined;
        let shown = 0;
        for await (const letter of operator.exportDead({ ...filter, after, limit })) {
          if (options.json) console.writeJson(letter);
          else console.write(`${letterText(letter, { ...options, now: operator.now() }, console)}\n`);
          last = letter;
          shown += 1;
        }
        if (!last) return tellNothing(operator, asked.ids, console);
        const [next] = await operator.listDead({ ...filter, after: last.id, limit: 1 });
        if (next)
          console.warn(
            `${showCount(shown, "dead letter")}. There are more; go on with: --after ${last.id}\n`,
          );
      });
    });
}

async function tellNothing(
  operator: Operator,
  ids: readonly number[] | undefined,
  console: Console,
): Promise<void> {
  const [id] = ids ?? [];
  if (id === undefined) return console.warn("No dead letter fits.\n");
  await operator.inspectDead(id).catch((error: Error) => {
    throw new Refusal(`${error.message} Those there are: headway failed list`);
  });
}

interface Showing {
  readonly full?: boolean;
  readonly now: Date;
}

function letterText(letter: ExportedDeadLetter, { full = false, now }: Showing, console: Console): string {
  const { colors, columns } = console;
  const { id, stage, code, kind, collection, document, reason, attempts, waits, crashes } = letter;
  const name = collection ? `${collection}/${document}` : `group ${document}`;
  const closed =
    letter.closed_at &&
    `${letter.closed_as} by ${letter.closed_by} ${showWhen(new Date(letter.closed_at), now)}`;
  const request = letter.correlation_id.split(".")[0];
  const lines: [string, string][] = [
    ["document", name],
    ["died", `${showWhen(new Date(letter.died_at), now)}, ${reason}`],
    [
      "tries",
      `${showCount(attempts, "attempt")}, ${showCount(waits, "wait")}, ${showCount(crashes, "crash", "crashes")}`,
    ],
    ["version", [letter.version ?? "unknown", letter.model].filter(Boolean).join(", model ")],
    ["fingerprint", letter.fingerprint],
    ["correlation", `${letter.correlation_id}  (headway trace ${request})`],
    ...(closed ? [["settled", closed] as [string, string]] : []),
  ];
  return [
    colors.bold(oneLine(`dead letter ${id}: ${stage}, ${code} (${kind})`)),
    full ? indented(printable(letter.message)) : wrap(shorten(oneLine(letter.message), 400), columns, "  "),
    ...lines.map(([title, text]) => `  ${title.padEnd(12)} ${oneLine(text)}`),
    `  faults       ${showCount(letter.faults.length, "failed attempt")}`,
    ...letter.faults.map((fault) => faultText(fault, full, columns)),
    ...inputLines(letter, full, columns),
    closed ? "" : colors.dim(`  headway failed requeue ${id}   headway failed resolve ${id} --why …`),
  ].join("\n");
}

const indented = (text: string): string => text.replace(/^/gm, "    ");

function faultText(
  { attempt, fault, version, worker, at }: DeadFault,
  full: boolean,
  columns: number,
): string {
  const by = [version && `version ${version}`, worker && `worker ${worker}`].filter(Boolean).join(", ");
  const line = `    ${attempt}  ${showMoment(new Date(at))}  ${fault.kind} ${fault.code}${by && ` (${by})`}: `;
  if (!full) return shorten(`${line}${oneLine(fault.message)}`, columns);
  const causes = (fault.causes ?? []).map((cause) => `caused by ${cause}`);
  return `${line}\n${indented(indented(printable([fault.message, ...causes, fault.stack ?? ""].join("\n").trim())))}`;
}

const inputLinesMax = 12;

/** The input at the time of death. Mail is hostile: shown as JSON, without cursor control. */
function inputLines({ input, closed_as: as }: ExportedDeadLetter, full: boolean, columns: number): string[] {
  if (input === null) return [`  input        ${as === "purged" ? "purged" : "none was kept"}`];
  const all = printable(JSON.stringify(input, null, 2)).split("\n");
  if (full) return ["  input", ...all.map((line) => `    ${line}`)];
  const shown = all.slice(0, inputLinesMax).map((line) => shorten(`    ${line}`, columns));
  const cut = all.length > shown.length || all.some((line) => line.length + 4 > columns);
  return ["  input", ...shown, ...(cut ? ["    … (all of it with --full)"] : [])];
}
