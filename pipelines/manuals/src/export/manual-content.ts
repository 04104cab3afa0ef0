import type { Database, DocumentOf } from "@headway/engine";
import type { codes, findings, parts, pictures, plans, profiles, tables } from "../collections.ts";
import { listManuals, type ManualLine, readOf } from "../library/manual-lines.ts";
import type { Page } from "../page-text.ts";

type Body<Of> = Of extends { readonly id: string } ? Omit<Of, "id"> : never;
export type PlanBody = Body<DocumentOf<typeof plans>>;
export type TableOf = Body<DocumentOf<typeof tables>>;

/** Everything known of one manual. */
export interface ManualContent {
  readonly manual: ManualLine;
  readonly profile: Body<DocumentOf<typeof profiles>> | null;
  readonly pages: readonly Page[];
  readonly plans: readonly PlanBody[];
  readonly tables: readonly TableOf[];
  readonly codes: readonly Body<DocumentOf<typeof codes>>[];
  readonly parts: readonly Body<DocumentOf<typeof parts>>[];
  readonly pictures: readonly Body<DocumentOf<typeof pictures>>[];
  readonly findings: readonly Body<DocumentOf<typeof findings>>[];
}

/** Reads a manual for export or report; null: there is no such manual. */
export async function readContent(db: Database, id: string): Promise<ManualContent | null> {
  const manual = (await listManuals(db)).find((line) => line.id === id);
  if (!manual) return null;
  const of = <Found extends object>(collection: Parameters<typeof readOf>[1]) =>
    readOf<Found>(db, collection, id);
  const [profile] = await of<NonNullable<ManualContent["profile"]>>("profiles");
  return {
    manual,
    profile: profile ?? null,
    pages: await of<Page>("pages"),
    plans: await of<PlanBody>("plans"),
    tables: await of<TableOf>("tables"),
    codes: await of<ManualContent["codes"][number]>("codes"),
    parts: await of<ManualContent["parts"][number]>("parts"),
    pictures: await of<ManualContent["pictures"][number]>("pictures"),
    findings: await of<ManualContent["findings"][number]>("findings"),
  };
}
