import { DefinitionError } from "../define/definition-error.ts";
import { type Duration, durationMs } from "../define/duration.ts";
import {
  forgetQuarantined,
  groupQuarantine,
  listQuarantine,
  type QuarantineFilter,
  type QuarantineGroupRow,
  type QuarantineRow,
  readQuarantined,
} from "../store/quarantine.ts";
import { type DryRun, type Operating, pageSize, perform, record } from "./context.ts";
import type { Paging } from "./dead-letters.ts";

/** A selection of deliveries in quarantine; all given conditions have to match. */
export interface QuarantinedFilter {
  /** Only these deliveries. */
  readonly ids?: readonly number[];
  /** Only of this queue. */
  readonly queue?: string;
  /** Only with this reason. */
  readonly reason?: string;
  /** A moment, or an age, of the last delivery. */
  readonly olderThan?: Date | Duration;
  /** Only since this moment, or within so long. */
  readonly newerThan?: Date | Duration;
}

const listMax = 1_000;

/** A page of the broker's deliveries that are no known event, oldest first; read only. */
export async function listQuarantined(
  context: Operating,
  { limit = 100, after = 0, ...filter }: QuarantinedFilter & Paging = {},
): Promise<QuarantineRow[]> {
  const page = { after, limit: Math.min(limit, listMax) };
  return await listQuarantine(context.database, toFilter(context, filter), page);
}

/** Deliveries in quarantine by queue and reason. A database before its migration has none. */
export const groupQuarantined = ({ database }: Operating): Promise<QuarantineGroupRow[]> =>
  groupQuarantine(database).catch((error: { code?: unknown }) => {
    if (error.code !== undefinedTable) throw error;
    return [];
  });
const undefinedTable = "42P01";

/** A delivery as plain JSON: problem, properties, and bytes. */
export type WholeDelivery = Omit<QuarantineRow, "first_at" | "last_at"> & {
  readonly first_at: string;
  readonly last_at: string;
  readonly properties: object;
  readonly body_base64: string;
};

/** One delivery, with its original bytes. */
export async function inspectQuarantined(context: Operating, id: number): Promise<WholeDelivery> {
  const one = await readWhole(context, id);
  if (!one) throw new DefinitionError(`There is no delivery q${id} in quarantine: it was purged.`);
  return one;
}

async function readWhole({ database }: Operating, id: number): Promise<WholeDelivery | null> {
  const row = await readQuarantined(database, id);
  if (!row) return null;
  const { body, first_at, last_at, ...rest } = row;
  return {
    ...rest,
    first_at: first_at.toISOString(),
    last_at: last_at.toISOString(),
    body_base64: Buffer.from(body).toString("base64"),
  };
}

/** All matching deliveries, whole, oldest first. Each is read separately: the bytes may be many. */
export async function* exportQuarantined(
  context: Operating,
  { limit = Number.POSITIVE_INFINITY, after: from = 0, ...filter }: QuarantinedFilter & Paging = {},
): AsyncGenerator<WholeDelivery, void, undefined> {
  for await (const page of pages(context, toFilter(context, filter), { after: from, limit })) {
    for (const { id } of page) {
      const one = await readWhole(context, id);
      // Null: purged meanwhile.
      if (one) yield one;
    }
  }
}

/** Number of deliveries erased from quarantine. */
export interface PurgedDeliveries {
  readonly purged: number;
  readonly reasons: Readonly<Record<string, number>>;
  readonly dryRun: boolean;
}

/** Deletes deliveries for good. Nothing else is touched: quarantined deliveries never had an effect. */
export async function purgeQuarantined(
  context: Operating,
  filter: QuarantinedFilter,
  {
    dryRun = false,
    limit = Number.POSITIVE_INFINITY,
    why,
  }: DryRun & { readonly why?: string; readonly limit?: number } = {},
): Promise<PurgedDeliveries> {
  const found = toFilter(context, filter);
  const reasons: Record<string, number> = {};
  let purged = 0;
  const count = (rows: readonly { reason: string }[]) => {
    for (const { reason } of rows) reasons[reason] = (reasons[reason] ?? 0) + 1;
    purged += rows.length;
  };
  for await (const page of pages(context, found, { after: 0, limit })) {
    if (dryRun) count(page);
    else
      count(
        await perform(context, async (tx) => {
          const gone = await forgetQuarantined(
            tx,
            page.map((one) => one.id),
          );
          const detail = { deliveries: gone.map((one) => one.id).sort((one, other) => one - other) };
          const recorded = { act: "quarantine.purge", target: showFilter(filter), why, detail };
          if (gone.length > 0) await record(tx, context, recorded);
          return gone;
        }),
      );
  }
  return { purged, reasons, dryRun };
}

async function* pages(
  { database }: Operating,
  found: QuarantineFilter,
  { after: from, limit }: Required<Paging>,
): AsyncGenerator<QuarantineRow[], void, undefined> {
  let left = limit;
  for (let after = from; left > 0; ) {
    const page = await listQuarantine(database, found, { after, limit: Math.min(pageSize, left) });
    const last = page.at(-1);
    if (!last) return;
    yield page;
    after = last.id;
    left -= page.length;
  }
}

function toFilter(
  { clock }: Operating,
  { olderThan, newerThan, ...rest }: QuarantinedFilter,
): QuarantineFilter {
  const moment = (given: Date | Duration): Date =>
    given instanceof Date ? given : new Date(clock.now().getTime() - durationMs(given));
  return {
    ...rest,
    ...(olderThan !== undefined && { lastBefore: moment(olderThan) }),
    ...(newerThan !== undefined && { lastAfter: moment(newerThan) }),
  };
}

function showFilter(filter: QuarantinedFilter): string {
  const parts = Object.entries(filter).map(([name, value]) => {
    const shown = Array.isArray(value) ? value.slice(0, 20).join(",") : String(value);
    return `${name}=${value instanceof Date ? value.toISOString() : shown}`;
  });
  return `quarantine ${parts.join(" ")}`.trim();
}
