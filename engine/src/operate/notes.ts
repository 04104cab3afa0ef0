import { DefinitionError } from "../define/definition-error.ts";
import { findAct, listNotes, type NoteRow, type NoteSubject, noteAct } from "../store/audit.ts";
import { showAlert } from "./alerts.ts";
import { type DryRun, type Operating, perform, readDirectory, record } from "./context.ts";
import { lookUp } from "./look-up.ts";

/**
 * Kinds of things that a note may be about.
 *
 * @example
 * import { noteKinds } from "@headway/engine/operate";
 *
 * export const isNotable = (word: string) => noteKinds.some((one) => one === word);
 */
export const noteKinds = ["document", "stage", "source", "alert", "act"] as const;
/** Kind of thing that a note is about. */
export type NoteKind = (typeof noteKinds)[number];

/** A note of an incident: kept for ever in the audit, and shown on pages about the subject. */
export interface AddedNote {
  /** Number in the audit; null: a dry run. */
  readonly id: number | null;
  readonly about: NoteSubject;
}

const textMax = 4_000;

/** Notes a sentence about a document (`collection/id`), a stage, a source, an alert or an act. */
export async function addNote(
  context: Operating,
  about: { readonly kind: NoteKind; readonly name: string },
  text: string,
  { dryRun = false }: DryRun = {},
): Promise<AddedNote> {
  const why = text.trim();
  if (why === "") throw new DefinitionError("A note has a text: the text is empty.");
  if (why.length > textMax)
    throw new DefinitionError(`A note has ${textMax} characters at most, this one has ${why.length}.`);
  const name = await nameOf(context, about);
  const subject = { kind: about.kind, name };
  if (dryRun) return { id: null, about: subject };
  const id = await perform(context, (tx) =>
    record(tx, context, { act: noteAct, target: targetOf(subject), why, detail: { about: subject } }),
  );
  return { id, about: subject };
}

/** Notes, newest first: of some subjects, or of all. */
export const notes = (
  { database }: Operating,
  { about, limit = 100 }: { readonly about?: readonly NoteSubject[]; readonly limit?: number } = {},
): Promise<NoteRow[]> => listNotes(database, { about: about ?? null, limit });

/** The subject's name in the audit; alerts and acts have numbers only. */
const targetOf = ({ kind, name }: NoteSubject): string =>
  kind === "alert" || kind === "act" ? `${kind} ${name}` : name;

/** Refuses a missing subject, and gives the whole name. Sources are checked by the caller, which knows the table of sources. */
async function nameOf(
  context: Operating,
  { kind, name }: { readonly kind: NoteKind; readonly name: string },
): Promise<string> {
  switch (kind) {
    case "document": {
      const { found } = await lookUp(context, name);
      const [only, ...others] = found;
      if (!only || others.length > 0) {
        const several = found.map((one) => `${one.collection ?? one.stage}/${one.id}`).join(", ");
        throw new DefinitionError(
          only ? `"${name}" could be ${several}; say which.` : `There is no document or group "${name}".`,
        );
      }
      return `${only.collection ?? only.stage}/${only.id}`;
    }
    case "stage":
      return (await readDirectory(context)).stage(name).name;
    case "source":
      return name;
    case "alert":
      return String((await showAlert(context, numberOf(name, kind))).alert.id);
    case "act": {
      const id = numberOf(name, kind);
      if (await findAct(context.database, id)) return String(id);
      throw new DefinitionError(`There is no act ${id}: see them with "headway audit".`);
    }
  }
}

function numberOf(name: string, kind: NoteKind): number {
  if (/^\d{1,15}$/.test(name)) return Number(name);
  throw new DefinitionError(`An ${kind} has a number: "${name}" is none.`);
}
