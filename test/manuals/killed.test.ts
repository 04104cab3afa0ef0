import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { generateManual } from "../../pipelines/manuals/src/generated/generate-manual.ts";
import { useOwnSchema } from "../support/own-schema.ts";

const postgres = useOwnSchema("manuals_killed");
const folder = mkdtempSync(join(tmpdir(), "headway-killed-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const main = fileURLToPath(new URL("../../cli/src/main.ts", import.meta.url));
const flags = ["--conditions=@headway/source", "--import", "tsx", "--no-warnings"];

/** Ingests in a process of its own; killed hard once so many pages are read. */
async function ingest(schema: string, killAtPages: number | null): Promise<number | null> {
  const url = `${postgres.url}?schema=${schema}`;
  const data = join(folder, schema);
  const given = ["manuals", "ingest", join(folder, "killed.pdf"), "--data", data, "--database", url];
  const child = spawn(process.execPath, [...flags, main, ...given], { stdio: "ignore" });
  const ended = new Promise<number | null>((resolve) => child.on("exit", (code) => resolve(code)));
  if (killAtPages === null) return await ended;
  let over = false;
  void ended.then(() => {
    over = true;
  });
  while (!over && (await pagesIn(schema)) < killAtPages)
    await new Promise((resolve) => setTimeout(resolve, 50));
  child.kill("SIGKILL");
  return await ended;
}

const direct = <Row extends object>(text: string) => postgres.direct.query<Row>({ text, values: [] });

async function pagesIn(schema: string): Promise<number> {
  const [there] = await direct<{ view: string | null }>(
    `select to_regclass('${schema}_read.pages')::text as view`,
  );
  if (!there?.view) return 0;
  const [row] = await direct<{ pages: number }>(`select count(*)::int4 as pages from ${schema}_read.pages`);
  return row?.pages ?? 0;
}

/** Everything that the stages made, by hash. */
const outputsOf = (schema: string) =>
  direct<{ collection: string; documents: number; hash: string }>(`
    select c.name as collection, count(*)::int4 as documents, md5(string_agg(d.id || encode(d.hash, 'hex'), '' order by d.id)) as hash
    from ${schema}.document d
    join ${schema}.collection c on c.id = d.collection
    where d.gone_at is null and c.name <> 'manuals'
    group by c.name
    order by c.name`);

describe("a manual whose worker is killed", { timeout: 240_000 }, () => {
  it("twice in the middle has the same outputs as one read in peace", async () => {
    writeFileSync(join(folder, "killed.pdf"), generateManual(60));
    const [peace, storm] = [postgres.fresh(), postgres.fresh()];
    expect(await ingest(peace, null)).toBe(0);
    expect(await ingest(storm, 5)).toBe(null);
    expect(await ingest(storm, 35)).toBe(null);
    expect(await ingest(storm, null)).toBe(0);
    const outputs = await outputsOf(storm);
    expect(outputs).toEqual(await outputsOf(peace));
    expect(outputs.find(({ collection }) => collection === "pages")?.documents).toBe(60);
    expect(outputs.find(({ collection }) => collection === "codes")?.documents).toBe(120);
  });
});
