import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { samplePath } from "@headway/consensus";
import { sampleManualPath } from "@headway/manuals";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withDesk } from "../../cli/src/desk.ts";
import { run } from "../../cli/src/run.ts";
import { repo } from "../../tools/source.ts";
import { makeCollectingConsole } from "../consensus/collecting-console.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { hashDatabase } from "../support/whole-database.ts";

const mixed = ["--app", join(repo, "test/fixtures/mixed-app")];
const shop = ["--app", join(repo, "test/fixtures/shop-app")];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "headway-mixed-"));
  const orders = [
    { id: "a", item: "pen" },
    { id: "b", item: "bomb" },
  ];
  writeFileSync(join(folder, "orders.jsonl"), orders.map((order) => `${JSON.stringify(order)}\n`).join(""));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const server = useOwnSchema("mixed_app");
let place: readonly string[];
beforeAll(() => {
  const url = new URL(server.url);
  url.searchParams.set("schema", server.fresh());
  place = ["--database", url.href, "--data", join(folder, "files")];
});

async function headway(app: readonly string[], ...words: string[]) {
  const console = makeCollectingConsole();
  const code = await run([...words, ...app, ...place], console);
  return { code, out: console.out(), err: console.err() };
}

describe("a pipeline beside both shipped pipelines in one engine", { timeout: 240_000 }, () => {
  it("each pipeline counts its own dead letters", async () => {
    const accepted = await headway(mixed, "accept", "orders", join(folder, "orders.jsonl"), "--work");
    expect(accepted.code).toBe(3);
    const manual = await headway(mixed, "manuals", "ingest", sampleManualPath(), "--json");
    expect(JSON.parse(manual.out)).toMatchObject({ accepted: ["tide-gauge"], dead: [] });
    expect(manual.code).toBe(0);
    const mail = await headway(mixed, "ingest", samplePath(), "--json");
    expect(JSON.parse(mail.out).dead).toHaveLength(2);
    expect(mail.code).toBe(3);
  });

  it.each([
    [["status"], /invoicing[\s\S]*parsing[\s\S]*harvesting/],
    [["explain", "orders/b"], /item\.forbidden/],
    [["failed", "groups"], /item\.forbidden[\s\S]*mail\.unreadable|mail\.unreadable[\s\S]*item\.forbidden/],
    [["policies", "list"], /harvesting/],
    [["reprocess", "--stage", "opening"], /opening/],
    [["sweep", "--once"], /The sweep found/],
    [["threads", "--limit", "1"], /./],
    [["manuals", "list"], /tide-gauge/],
    [["doctor", "--deep"], /1 archive and 1 manual are whole, and nothing else/],
    [["verify"], /./],
  ] as const)("%s", async (words, expected) => {
    const { code, out, err } = await headway(mixed, ...words);
    expect({ code, out, err }).toEqual({
      code: 0,
      out: expect.stringMatching(expected),
      err: expect.any(String),
    });
  });

  it("without a configuration both shipped pipelines are found in the same database", async () => {
    const { code, out } = await headway([], "status", "--json");
    expect([code, out]).toEqual([0, expect.stringMatching(/"parsing"[\s\S]*"harvesting"/)]);
  });

  it("looking at manuals writes nothing", async () => {
    const hash = () => withDesk(optionsOf(), ({ database }) => hashDatabase(database));
    const before = await hash();
    for (const words of [["list"], ["codes", "E-117"], ["search", "E-117"], ["findings", "tide-gauge"]])
      expect((await headway(mixed, "manuals", ...words)).code).toBe(0);
    expect(await hash()).toBe(before);
  });

  it("a command of a pipeline that the application does not have says so in one sentence", async () => {
    const { code, err } = await headway(shop, "manuals", "list");
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/"headway manuals" belongs to the manuals pipeline, which .* does not run/),
    ]);
  });
});

const optionsOf = () => ({ database: place[1], data: place[3] });
