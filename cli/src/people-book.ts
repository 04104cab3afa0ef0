import { makePeopleBook, type PeopleBook, type PeopleDecision, readAuthors } from "@headway/consensus";
import type { Database } from "@headway/engine";
import { type AuditRow, openOperator } from "@headway/engine/operate";
import { actorName } from "./desk.ts";

const actsMax = 10_000;

/** The people of all lists, with the reviewers' words from the audit. */
export async function readPeopleBook(database: Database): Promise<PeopleBook> {
  return makePeopleBook(await readAuthors(database), await readPeopleDecisions(database));
}

/** Oldest first. */
export async function readPeopleDecisions(database: Database): Promise<PeopleDecision[]> {
  const operator = await openOperator({ database, actor: actorName() });
  const acts = await operator.audit({ act: "people", limit: actsMax });
  return acts.flatMap(toDecision).reverse();
}

function toDecision({ id, at, actor, act, why, detail }: AuditRow): PeopleDecision[] {
  const { addresses } = detail as { addresses?: unknown };
  const kind = act === "people.merge" ? "merge" : act === "people.split" ? "split" : null;
  if (kind === null || !Array.isArray(addresses)) return [];
  return [{ act: id, at, by: actor, kind, addresses: addresses.map(String), why }];
}
