import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { run } from "../../cli/src/run.ts";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import { openDatabase } from "../../engine/src/engine.ts";
import type { Database } from "../../engine/src/store/database.ts";
import { makeCollectingConsole } from "../consensus/collecting-console.ts";
import { anMbox, type MailSpec } from "../consensus/invented-mail.ts";

/** An ingested list in a separate place. */
export interface SmallList {
  readonly folder: string;
  /** What names the place: `--data …`, and `--database …` on a server. */
  readonly flags: readonly string[];
  /** Runs a command here. */
  headway(...words: string[]): Promise<{ code: number; out: string; err: string }>;
  /** Opens the database behind the commands' back. */
  withDatabase<T>(act: (database: Database) => Promise<T>): Promise<T>;
}

export const threeMails: readonly MailSpec[] = [
  { id: "1", subject: "Tide gauges", text: "I think that we need more of them." },
  {
    id: "2",
    subject: "Re: Tide gauges",
    inReplyTo: "1",
    from: "Bo Ek <bo@example.net>",
    text: "+1, I agree.",
  },
  { id: "3", subject: "Lunch", from: "Cy Dahl <cy@example.com>", text: "At noon, by the water." },
];

const folders: string[] = [];
const schemas: string[] = [];

/** These lists do not grow, so no quiet time is needed. */
const quick = { HEADWAY_LIST_QUIET: "50ms", HEADWAY_THREAD_QUIET: "50ms" };

/** Makes such places for a test file, and removes them at its end. */
export function useSmallLists(): {
  folder(): Promise<string>;
  read(kind: "pglite" | "postgres", mails?: readonly MailSpec[]): Promise<SmallList>;
} {
  beforeAll(() => void Object.assign(process.env, quick));
  afterAll(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
    if (schemas.length === 0) return;
    const database = await openPostgres({ url: serverUrl() });
    for (const schema of schemas.splice(0))
      await database.script(`drop schema if exists "${schema}", "${schema}_read" cascade`);
    await database.close();
  });
  const folder = async () => {
    const made = await mkdtemp(join(tmpdir(), "headway-operating-"));
    folders.push(made);
    return made;
  };
  return {
    folder,
    async read(kind, mails = threeMails) {
      const place = await folder();
      const list = makeList(place, kind);
      await writeFile(join(place, "tides.mbox"), anMbox(...mails));
      const { code, err } = await list.headway("ingest", join(place, "tides.mbox"));
      if (code !== 0) throw new Error(`It could not be read: ${err}`);
      return list;
    },
  };
}

export const serverUrl = (): string => process.env.HEADWAY_TEST_POSTGRES ?? "";

function makeList(folder: string, kind: "pglite" | "postgres"): SmallList {
  const data = join(folder, "kept");
  const schema = `operating_${randomUUID().slice(0, 8)}`;
  if (kind === "postgres") schemas.push(schema);
  const address = new URL(serverUrl());
  address.searchParams.set("schema", schema);
  const flags = ["--data", data, ...(kind === "postgres" ? ["--database", address.href] : [])];
  return {
    folder,
    flags,
    headway: (...words) => headway(...words, ...flags),
    async withDatabase(act) {
      const option = kind === "postgres" ? { url: serverUrl(), schema } : { folder: data };
      const database = await openDatabase(option, { poolMax: 1 });
      return await act(database).finally(() => database.close());
    },
  };
}

/** The command in this process, with its output. */
export async function headway(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const console = makeCollectingConsole();
  const code = await run(words, console);
  return { code, out: console.out(), err: console.err() };
}

export const statement = (text: string) => ({ text, values: [] });
