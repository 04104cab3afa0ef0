import { oneLine } from "./terminal.ts";

/** Advice for an environmental error without advice of its own; empty: unknown. */
export function adviceFor(error: unknown): string {
  const { code, message, path } = (error ?? {}) as { code?: unknown; message?: unknown; path?: unknown };
  const place = typeof path === "string" ? ` with ${oneLine(path)}` : "";
  if (code === "ENOSPC" || code === "EDQUOT" || code === "53100")
    return "The disk is full: make room, and it goes on. See where with: headway doctor";
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return `This user may not do that${place}: give it to this user (chown, chmod), become the user it belongs to (sudo -u USER), or choose another place.`;
  if (code === "42501")
    return "The database user has not the right to do that: GRANT it, or name another user in HEADWAY_DATABASE_URL.";
  if (code === "EADDRINUSE") return "Another process has that port: name another with --port.";
  // PostgreSQL's data_corrupted and index_corrupted, and the start failure of a damaged embedded database.
  if (code === "XX001" || code === "XX002" || isDamaged(String(message)))
    return "The files of the database are damaged: bring back a backup with: headway restore FILE --data NEW-FOLDER";
  return "";
}

const isDamaged = (message: string): boolean =>
  message.includes("failed to initialize properly") && !message.includes("disk is full");
