import type { IncomingMessage } from "node:http";
import type { Database } from "@headway/engine";
import { insertAct } from "@headway/engine/internal";
import { askForRun, pauseSource } from "@headway/intake";
import { readSourceLines, readSourcePage } from "./source-lines.ts";

/** Whether a path belongs to the sources. */
export const isSourcePath = (path: string): boolean =>
  path === "/api/sources" || path.startsWith("/api/sources/");

/**
 * Sources over HTTP; a secret is never part of an answer.
 *
 *     GET  /api/sources                all sources, each with its newest run
 *     GET  /api/sources/NAME           one source with its runs
 *     POST /api/sources/NAME/run       makes a run due, for operators; likewise /pause and /resume
 */
export async function answerSources(
  { method }: Pick<IncomingMessage, "method">,
  url: URL,
  { database, actor }: { readonly database: Database; readonly actor: string },
): Promise<{ readonly status: number; readonly body: unknown }> {
  const [, , , encoded, verb] = url.pathname.split("/");
  if (encoded === undefined && method === "GET")
    return { status: 200, body: await readSourceLines(database) };
  const name = decodeURIComponent(encoded ?? "");
  const page = await readSourcePage(database, name);
  if (!page) return { status: 404, body: { error: "There is no source of this name." } };
  if (verb === undefined && method === "GET") return { status: 200, body: page };
  if (method !== "POST" || (verb !== "run" && verb !== "pause" && verb !== "resume"))
    return { status: 405, body: { error: "Use GET, or POST to /run, /pause or /resume." } };
  const changed = await steerSource(database, { name, verb, actor, why: null });
  return { status: 200, body: { name, verb, changed } };
}

export interface SourceSteering {
  readonly name: string;
  readonly verb: "run" | "pause" | "resume";
  readonly actor: string;
  readonly why: string | null;
}

/** Makes a run due, pauses or resumes, with its line in the audit; false: nothing changed. */
export async function steerSource(
  database: Database,
  { name, verb, actor, why }: SourceSteering,
): Promise<boolean> {
  const now = new Date();
  return await database.transaction(async (tx) => {
    const changed =
      verb === "run"
        ? await askForRun(tx, name, { asked: "operator", now })
        : await pauseSource(tx, name, verb === "pause" ? { at: now, by: actor, why } : null);
    if (changed)
      await insertAct(tx, { at: now, actor, act: `source.${verb}`, target: name, why, detail: {} });
    return changed;
  });
}
