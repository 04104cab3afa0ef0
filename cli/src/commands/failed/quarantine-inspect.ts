import type { QuarantinedFilter, WholeDelivery } from "@headway/engine/operate";
import { showBytes } from "../../checkup/finding.ts";
import { withDesk } from "../../desk.ts";
import { Refusal } from "../../exit-codes.ts";
import { showWhen } from "../../show-time.ts";
import { type Console, oneLine, printable, shorten, showCount, wrap } from "../../terminal.ts";
import { nameOf, withName } from "./quarantine.ts";
import { limitOf, type SelectOptions } from "./select.ts";

const shownMax = 10;

/** Whole deliveries: properties, problem, and the first bytes. */
export async function inspectDeliveries(
  filter: QuarantinedFilter,
  options: SelectOptions & { readonly full?: boolean },
  { console, after }: { readonly console: Console; readonly after: number },
): Promise<void> {
  const limit = limitOf(options) ?? filter.ids?.length ?? shownMax;
  await withDesk(options, async ({ operator }) => {
    if (options.json) {
      for await (const one of operator.exportQuarantined({ ...filter, after, limit }))
        console.writeJson(withName(one));
      return;
    }
    const rows = await operator.listQuarantined({ ...filter, after, limit });
    for (const { id } of rows) {
      const one = await operator.inspectQuarantined(id);
      console.write(`${deliveryText(one, { full: options.full === true, now: operator.now() }, console)}\n`);
    }
    const [id] = filter.ids ?? [];
    if (rows.length === 0 && id === undefined) console.warn("No delivery in quarantine fits.\n");
    if (rows.length === 0 && id !== undefined)
      await operator.inspectQuarantined(id).catch((error: Error) => {
        throw new Refusal(`${error.message} Those there are: headway failed list --quarantine`);
      });
    const last = rows.at(-1)?.id;
    const [next] =
      last === undefined ? [] : await operator.listQuarantined({ ...filter, after: last, limit: 1 });
    if (next) console.warn(`There are more; go on with: --after ${last}\n`);
  });
}

interface Showing {
  readonly full: boolean;
  readonly now: Date;
}

function deliveryText(one: WholeDelivery, { full, now }: Showing, { colors, columns }: Console): string {
  const { queue, reason, detail, times, properties } = one;
  const [first, last] = [one.first_at, one.last_at].map((at) => showWhen(new Date(at), now));
  const body = Buffer.from(one.body_base64, "base64");
  const came = times === 1 ? last : `${showCount(times, "time")}, last ${last}, first ${first}`;
  const name = nameOf(one);
  return [
    colors.bold(oneLine(`delivery ${name}: ${queue}, ${reason}`)),
    full ? `  ${printable(detail)}` : wrap(shorten(oneLine(detail), 400), columns, "  "),
    `  came         ${came}`,
    `  properties   ${oneLine(JSON.stringify(properties))}`,
    `  body         ${showBytes(one.bytes)}`,
    ...textLines(body, full, columns),
    ...hexLines(body.subarray(0, full ? fullMax : hexMax)),
    ...(one.bytes > (full ? fullMax : hexMax)
      ? [`    … (${full ? `all of it: headway failed export ${name}` : "more with --full"})`]
      : []),
    colors.dim(`  headway failed export ${name}   headway failed purge ${name} --why …`),
  ].join("\n");
}

const hexMax = 128;
const fullMax = 65_536;
const textMax = 4_096;
const textLinesMax = 8;

/** As text, if valid. The sender may be hostile: cursor control is removed. */
function textLines(body: Buffer, full: boolean, columns: number): string[] {
  const start = body.subarray(0, full ? fullMax : textMax);
  const text = decode(start, start.length < body.length);
  if (text === null) return [];
  const lines = printable(text).split("\n");
  return (full ? lines : lines.slice(0, textLinesMax)).map((line) =>
    full ? `    ${line}` : shorten(`    ${line}`, columns),
  );
}

/** Null: not UTF-8. A cut may have gone through a character. */
function decode(bytes: Buffer, isCut: boolean): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return null;
  }
}

const perLine = 16;

/** The bytes: offset, hexadecimal, and printable characters. */
export function hexLines(bytes: Buffer): string[] {
  return Array.from({ length: Math.ceil(bytes.length / perLine) }, (_, index) => {
    const some = bytes.subarray(index * perLine, (index + 1) * perLine);
    const hex = [...some].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const letters = [...some]
      .map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "."))
      .join("");
    return `    ${(index * perLine).toString(16).padStart(6, "0")}  ${hex.padEnd(3 * perLine - 1)}  ${letters}`;
  });
}
