import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../cli/src/run.ts";
import { repo } from "../../tools/source.ts";
import { makeCollectingConsole } from "../consensus/collecting-console.ts";
import { useOwnSchema } from "../support/own-schema.ts";

const app = join(repo, "test/fixtures/shop-app");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "headway-app-"));
  const orders = [
    { id: "a", items: ["pen", "paper"] },
    { id: "b", items: ["bomb"] },
  ];
  writeFileSync(join(folder, "orders.jsonl"), orders.map((order) => `${JSON.stringify(order)}\n`).join(""));
  const seeds = ["pending", "processing", "processed"].map((status) => ({
    id: status,
    status,
    items: ["ink"],
  }));
  writeFileSync(join(folder, "seeds.json"), JSON.stringify(seeds));
  writeFileSync(join(folder, "wrong.json"), JSON.stringify([{ id: "c", items: ["ink", ""] }]));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function headway(place: readonly string[], ...words: string[]) {
  const console = makeCollectingConsole();
  const code = await run([...words, "--app", app, ...place], console);
  return { code, out: console.out(), err: console.err() };
}

const server = useOwnSchema("app_commands");
const places = {
  pglite: () => ["--data", join(folder, "data")],
  postgres: () => {
    const url = new URL(server.url);
    url.searchParams.set("schema", server.fresh());
    const where = ["--database", url.href, "--data", join(folder, "files")];
    return () => where;
  },
};

describe.each([
  ["an embedded database", () => places.pglite],
  ["a server", places.postgres],
] as const)("every command works for any application on %s", { timeout: 120_000 }, (_, choose) => {
  let at: () => readonly string[];
  const say = (...words: string[]) => headway(at(), ...words);
  beforeAll(() => {
    at = choose();
  });

  it("documents are held against their schema, whatever status they bring, before anything is opened", async () => {
    const wrong = await say("accept", "orders", join(folder, "wrong.json"));
    expect(wrong.code).toBe(1);
    expect(wrong.err).toMatch(/wrong\.json, "c": items\.1: .*\nNothing was accepted\./);
    const dry = await say("accept", "orders", join(folder, "orders.jsonl"), "--dry-run");
    expect([dry.code, dry.out]).toEqual([0, expect.stringContaining("2 documents of")]);
    const foreign = await say("accept", "orders", join(folder, "seeds.json"), "--dry-run");
    expect([foreign.code, foreign.out]).toEqual([0, expect.stringContaining("3 documents of")]);
    const unknown = await say("accept", "mails", join(folder, "orders.jsonl"));
    expect(unknown.err).toContain('no collection "mails"; there are orders, lines, invoices.');
    expect((await say("status")).code).toBe(1);
  });

  it("documents are accepted and worked on", async () => {
    const accepted = await say("accept", "orders", join(folder, "orders.jsonl"), "--work", "--json");
    expect(JSON.parse(accepted.out)).toMatchObject({ inserted: 2, dead: 1 });
    expect(accepted.code).toBe(3);
    expect((await say("totals", "a")).out).toBe("a: 8\n");
  });

  it.each([
    [["status"], /parsing.*\n.*invoicing/],
    [["documents"], /invoices/],
    [["explain", "orders/b"], /item\.forbidden/],
    [["trace", "b", "--collection", "orders"], /parsing/],
    [["failed", "groups"], /item\.forbidden/],
    [["policies", "list"], /parsing/],
    [["reprocess", "--stage", "parsing"], /parsing/],
    [["sweep", "--once"], /The sweep found/],
    [["doctor"], /migrations/],
    [["verify"], /./],
    [["sources", "origins"], /orders\.jsonl/],
  ] as const)("%s", async (words, expected) => {
    const { code, out, err } = await say(...words);
    expect({ code, out, err }).toEqual({
      code: 0,
      out: expect.stringMatching(expected),
      err: expect.any(String),
    });
  });

  it("no stage of another pipeline was made known", async () => {
    const { out } = await say("status", "--json");
    expect(out).not.toContain("splitting");
  });
});

describe("an application", { timeout: 120_000 }, () => {
  it("is drilled without being named", async () => {
    const { code, out } = await headway([], "drill", "--points", "6", "--json");
    expect(JSON.parse(out)).toMatchObject({ ok: true, documents: 1 });
    expect(code).toBe(0);
  });

  it("has its own commands, and not those of the consensus pipeline", async () => {
    const help = await headway([], "--help");
    expect(help.out).toContain("totals");
    expect(help.out).not.toContain("threads");
    const { code, err } = await headway([], "threads", "--level", "strong");
    expect(code).toBe(2);
    expect(err).toMatch(/"headway threads" belongs to the consensus pipeline, which .* does not run/);
  });

  it("that is not there, or none, is refused with one sentence", async () => {
    const say = async (path: string) => {
      const console = makeCollectingConsole();
      return [await run(["status", `--app=${path}`], console), console.err()];
    };
    expect(await say(join(folder, "nowhere"))).toEqual([
      2,
      expect.stringContaining("there is no headway.config.ts"),
    ]);
    writeFileSync(join(folder, "headway.config.mjs"), "export default {};");
    expect(await say(folder)).toEqual([2, expect.stringContaining("declares no application")]);
  });
});
