import { DefinitionError } from "../define/definition-error.ts";
import { findDocument, findGroup, findSubject, type SubjectRow } from "../store/subjects.ts";
import { type Directory, type Operating, readDirectory } from "./context.ts";

/** A document by id, a group of a fan-in stage by key, or either by number. */
export type Target =
  | { readonly collection: string; readonly id: string }
  | { readonly stage: string; readonly key: string }
  | { readonly subject: number };

export interface Found {
  readonly row: SubjectRow;
  readonly directory: Directory;
}

/** Finds the target, or says in one sentence that it is missing. */
export async function findTarget(context: Operating, target: Target): Promise<Found> {
  const directory = await readDirectory(context);
  const row = await lookUp(context, target, directory);
  if (!row) {
    throw new DefinitionError(
      `There is no ${showTarget(target)}: it was never accepted, or it was deleted with all that came from it.`,
    );
  }
  return { row, directory };
}

function lookUp({ database }: Operating, target: Target, directory: Directory): Promise<SubjectRow | null> {
  if ("subject" in target) return findSubject(database, target.subject);
  if ("key" in target) return findGroup(database, directory.stage(target.stage).id, target.key);
  return findDocument(database, directory.collection(target.collection).id, target.id);
}

export function showTarget(target: Target): string {
  if ("subject" in target) return `document or group number ${target.subject}`;
  if ("key" in target) return `group "${target.key}" of stage "${target.stage}"`;
  return `document "${target.id}" in collection "${target.collection}"`;
}

/** Name in the audit: `archives/2024-01`. */
export const nameOf = ({ row, directory }: Found): string =>
  row.collection === null
    ? `${directory.stageName(row.stage ?? 0)}/${row.id}`
    : `${directory.collectionName(row.collection)}/${row.id}`;
