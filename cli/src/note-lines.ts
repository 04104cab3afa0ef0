import type { NoteRow, Operator } from "@headway/engine/operate";
import { showRelative } from "./show-time.ts";
import { type Console, oneLine, wrap } from "./terminal.ts";

const shownMax = 5;

/** Notes for the end of a page; empty without notes. */
export async function noteBlock(
  operator: Pick<Operator, "notes" | "now">,
  about: readonly NoteRow["about"][],
  console: Console,
): Promise<string> {
  const found = await operator.notes({ about, limit: shownMax });
  return found.map((note) => showNote(note, operator.now(), console)).join("\n");
}

export function showNote({ at, actor, text, about }: NoteRow, now: Date, console: Console): string {
  const head = `Note on ${about.kind} ${oneLine(about.name)} by ${oneLine(actor)}, ${showRelative(at, now)}:`;
  return `${head}\n${wrap(oneLine(text), Math.min(console.columns, 100), "  ")}`;
}
