import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { DatabaseOption } from "@headway/engine";
import { type Moved, measureMove, migrateAll, moveDatabase, recordAct } from "@headway/engine/internal";
import { type Database, openDatabase, openOperator } from "@headway/engine/operate";
import { currentApp } from "../app/current-app.ts";
import { actorName } from "../desk.ts";
import { exitCodes, Refusal } from "../exit-codes.ts";
import { openKeptBlobs } from "../kept-blobs.ts";
import type { Adding } from "../run.ts";
import { type Place, placeOf, sharedFlags } from "../shared-options.ts";
import { type Console, showCount, showNumber } from "../terminal.ts";

export function addMove({ program, console, end }: Adding): void {
  program
    .command("move")
    .description("Move the embedded database to a PostgreSQL, or back")
    .requiredOption("--to <place>", "the address of an empty PostgreSQL (postgres://…), or a new folder")
    .option("--dry-run", "only say what would be moved; changes nothing")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway move --to postgres://headway@db.example.org/headway
  headway move --database postgres://headway@db.example.org/headway --to ./.headway-back

Stop "headway up" and all workers before. Rows are copied in pages and compared by counts and hashes; a move that was broken
off, even by kill -9, goes on with the same command. The source stays as it is: delete it when the new place has proved itself.`,
    )
    .action(async (options) => {
      const place = placeOf(options);
      const target = targetOf(options.to, place);
      refuseMissing(place);
      const { moved, blobs } = await moveAll(place, target, options.dryRun === true);
      if (options.dryRun) return tellPlan(moved, options.json === true, console);
      const verified = await finish(target);
      if (!verified.ok) end(exitCodes.refused);
      if (options.json)
        return console.writeJson({ to: showPlace(target), ...moved, blobs, verified: verified.ok });
      console.write(
        `Moved to ${showPlace(target)}: ${showCount(moved.rows, "row")} in ${showCount(moved.tables.length, "table")}, ${showCount(blobs, "file")}; counts and hashes agree.\n`,
      );
      const key = join(place.data, "secret.key");
      if (target.data !== place.data && existsSync(key))
        console.warn(
          `Passwords of sources need their key: copy ${key} to ${target.data}, or set HEADWAY_SECRET_KEY.\n`,
        );
      console.warn(`Every promise ${verified.ok ? "holds" : "does NOT hold"} there. ${nextWords(target)}\n`);
    });
}

const nextWords = ({ database, data }: Place): string =>
  "url" in database
    ? "Go on with HEADWAY_DATABASE_URL set to the new address; the old folder is unchanged."
    : `Go on with --data ${data} (HEADWAY_DATA) and without a database address; the old database is unchanged.`;

function targetOf(to: string, { data }: Place): Place {
  if (/^postgres(ql)?:\/\//.test(to)) return placeOf({ data, database: to });
  if (to.includes("://"))
    throw new Refusal(
      "--to must be an address such as postgres://user@host/name, or a folder.",
      exitCodes.usage,
    );
  return { data: resolve(to), database: { folder: resolve(to) } };
}

function refuseMissing({ data, database }: Place): void {
  if ("folder" in database && !existsSync(data))
    throw new Refusal(`There is no database in ${data}: give another folder with --data.`);
}

const showPlace = ({ database, data }: Place): string =>
  "url" in database ? new URL(database.url).host + new URL(database.url).pathname : data;

async function withDatabase<T>(option: DatabaseOption, act: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(option, { poolMax: 2 });
  return await act(database).finally(() => database.close());
}

async function moveAll(
  place: Place,
  target: Place,
  dryRun: boolean,
): Promise<{ moved: Pick<Moved, "tables" | "rows" | "resumed">; blobs: number }> {
  const pipelines = currentApp().pipelines();
  return await withDatabase(place.database, async (from) => {
    await refuseBusy(from);
    if (dryRun) return { moved: await measureMove(from), blobs: 0 };
    return await withDatabase(target.database, async (to) => {
      await migrateAll(to, pipelines);
      const act = { act: "database.move", target: showPlace(target), detail: { from: from.place } };
      const begin = () => recordAct({ database: from, actor: actorName() }, act);
      const moved = await moveDatabase({ from, to, begin });
      return { moved, blobs: await copyBlobs({ place, from }, { place: target, from: to }) };
    });
  });
}

/** A worker at the source would go on writing there. */
async function refuseBusy(from: Database): Promise<void> {
  if ("remote" in from)
    throw new Refusal(`${from.place} is in use by another process: stop "headway up" there, and move again.`);
  const alone = from.kind === "pglite";
  const operator = await openOperator({ database: from, actor: actorName(), alone });
  const living = (await operator.workers()).filter((one) => one.alive);
  if (living.length > 0)
    throw new Refusal(
      `${showCount(living.length, "worker")} still ${living.length === 1 ? "works" : "work"} there (headway workers): stop them, and move again.`,
    );
}

/** Bytes of archives, by content: a second copy of the same bytes changes nothing. */
async function copyBlobs(
  source: { readonly place: Place; readonly from: Database },
  target: { readonly place: Place; readonly from: Database },
): Promise<number> {
  const [here, there] = [
    await openKeptBlobs(source.place, source.from),
    await openKeptBlobs(target.place, target.from),
  ];
  // The folder of this machine is no place for a server with many machines.
  const isServer = "url" in target.place.database;
  let copied = 0;
  for (const sha256 of await here.list()) {
    if (!isServer && (await there.has(sha256))) continue;
    const { fresh } = await there.put(here.open(sha256));
    copied += fresh ? 1 : 0;
  }
  return copied;
}

/** Views and search tables are made at the first start; then every promise is checked. */
async function finish({ data, database }: Place): Promise<{ ok: boolean }> {
  const app = await currentApp().start({ data, database, work: false });
  try {
    const operator = await openOperator({ database: app.engine.database, actor: actorName(), alone: true });
    return await operator.verify();
  } finally {
    await app.stop();
  }
}

function tellPlan({ tables, rows }: Pick<Moved, "tables" | "rows">, json: boolean, console: Console): void {
  if (json) {
    console.writeJson({ dryRun: true, rows, tables });
    return;
  }
  for (const { table, rows: count } of tables)
    if (count > 0) console.write(`${table.padEnd(28)} ${showNumber(count)}\n`);
  console.warn(`Would move ${showCount(rows, "row")}.\n`);
}
