/** Advice for an environmental error without advice of its own; empty: unknown. */
export function adviceFor(error: unknown): string {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (code === "ENOSPC" || code === "EDQUOT" || code === "53100")
    return "The disk is full: make room, and it goes on. See where with: headway doctor";
  // PostgreSQL's data_corrupted and index_corrupted, and the start failure of a damaged embedded database.
  if (code === "XX001" || code === "XX002" || /failed to initialize properly/.test(String(message)))
    return "The files of the database are damaged: bring back a backup with: headway restore FILE --data NEW-FOLDER";
  return "";
}
