import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPglite } from "../../engine/src/databases/pglite.ts";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import { keptSnapshot } from "../../engine/src/index.ts";
import type { Database } from "../../engine/src/store/database.ts";
import { openOffice } from "../support/post-office.ts";

const url = process.env.HEADWAY_TEST_POSTGRES ?? "";
const exceeded = "retry_job_documents_max_retries_exceeded_total";

describe.each(["pglite", "postgres"] as const)("totals of the retry job on %s", (kind) => {
  const schema = `tally_${randomUUID().slice(0, 8)}`;
  let database: Database;
  beforeAll(async () => {
    database =
      kind === "pglite"
        ? await openPglite({ folder: null, inline: true })
        : await openPostgres({ url, schema });
  });
  afterAll(async () => {
    if (kind === "postgres") await database.script(`drop schema if exists "${schema}" cascade`);
    await database.close();
  });
  const known = { stages: [], collections: ["boxes", "letters"], dependencies: [] };
  type Office = Awaited<ReturnType<typeof openOffice>>;
  const totals = async ({ operator }: Office) => {
    const { counters, gauges, histograms } = keptSnapshot(await operator.tally(), known);
    const of = (name: string, label: string) =>
      [...counters, ...gauges].find((one) => one.name === name && Object.values(one.labels).includes(label))
        ?.value;
    return { of, histograms };
  };

  it("documents that used up their attempts are counted by the commit, and go on after a restart", async () => {
    const first = await openOffice(database);
    await first.bring("box", ["sticky one", "sticky two", "bad three", "four"]);
    await first.engine.drain();
    expect((await totals(first)).of(exceeded, "letters")).toBe(2);
    const second = await openOffice(database, { keep: true, clock: first.clock });
    await second.bring("other", ["sticky five"], "list-b");
    await second.engine.drain();
    const { of } = await totals(second);
    expect(of(exceeded, "letters")).toBe(3);
    expect(of(exceeded, "boxes")).toBe(0);
    expect(await second.operator.listDead()).toHaveLength(4);
  });

  it("sweeps of different processes add up", async () => {
    const first = await openOffice(database);
    await first.bring("box", ["bad one"]);
    await first.engine.drain();
    await first.engine.sweep();
    const second = await openOffice(database, { keep: true, clock: first.clock });
    await second.engine.sweep();
    await second.engine.sweep({ dryRun: true });
    const { of, histograms } = await totals(second);
    expect(of("retry_job_runs_total", "success")).toBe(2);
    expect(of("retry_job_runs_total", "failure")).toBe(0);
    // A level is the last sweep's, not a sum.
    expect(of("retry_job_failed_documents", "letters")).toBe(1);
    expect(histograms).toMatchObject([{ name: "retry_job_duration_seconds", count: 2 }]);
    expect(histograms[0]?.buckets.at(-1)).toEqual({ le: Number.POSITIVE_INFINITY, count: 2 });
  });

  it("workers that bury documents at the same time lose no count", async () => {
    const office = await openOffice(database);
    const other = await openOffice(database, { keep: true, clock: office.clock });
    await office.bring(
      "box",
      Array.from({ length: 40 }, (_, index) => `sticky ${index}`),
    );
    await Promise.all([office.engine.drain(), other.engine.drain()]);
    expect((await totals(office)).of(exceeded, "letters")).toBe(40);
  });
});
