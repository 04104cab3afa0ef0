import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repo } from "../../tools/source.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import {
  ended,
  execute,
  fetchNode,
  filesIn,
  headway,
  installIn,
  npmTest,
  packAll,
  said,
  start,
} from "./installed-project.ts";

let tarballs: readonly string[];
let folder: string;
let bin: string;
beforeAll(async () => {
  tarballs = await packAll();
  folder = await installIn(tarballs);
  bin = join(folder, "node_modules/@headway/cli/bin/headway.mjs");
}, 900_000);
afterAll(() => {
  for (const each of [folder, tarballs?.[0] && dirname(tarballs[0])])
    if (each) rmSync(each, { recursive: true, force: true });
});

const say = (...words: string[]) => headway(bin, folder, words);
const server = useOwnSchema("packages");

describe("the packages", { timeout: 300_000 }, () => {
  it("carry a README, the licence and the changelog, and no map of sources that are not there", async () => {
    expect(tarballs.length).toBeGreaterThanOrEqual(5);
    for (const tarball of tarballs) {
      const files = await filesIn(tarball);
      expect(files, tarball).toEqual(
        expect.arrayContaining(["README.md", "LICENSE", "CHANGELOG.md", "package.json"]),
      );
      expect(files.filter((name) => /\.map$|\.test\./.test(name) && !name.startsWith("template/"))).toEqual(
        [],
      );
    }
    // Nothing is left behind in the tree.
    expect(existsSync(join(repo, "engine/LICENSE"))).toBe(false);
  });

  it("write a project that passes its own test and type-checks", async () => {
    const { code, out } = await say("init", ".", "--yes");
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("wrote headway.config.ts") });
    expect((await say("init", "--yes")).err).toContain("There is an application in . already");
    expect(await npmTest(folder)).toMatch(/# pass 2|pass 2/);
    const tsc = join(repo, "node_modules/typescript/bin/tsc");
    const types = ["--typeRoots", join(repo, "node_modules/@types"), "--types", "node"];
    const checked = await execute(process.execPath, [tsc, "-p", folder, ...types]).catch(
      (error: { stdout: string }) => error,
    );
    expect(checked.stdout).toBe("");
  });

  it("run that project on the embedded database", async () => {
    expect((await say("accept", "letters", "letters.jsonl", "--dry-run")).out).toContain("3 documents");
    const up = start(bin, folder, ["up"]);
    await said(up, /Headway is up/);
    const died = said(up, /letter\.empty/);
    expect((await say("accept", "letters", "letters.jsonl", "--json")).code).toBe(0);
    await died;
    up.kill("SIGTERM");
    expect(await ended(up)).toBe(0);
    expect((await say("accept", "letters", "letters.jsonl", "--work")).out).toContain("unchanged");
    expect((await say("status")).out).toMatch(/cutting[\s\S]*counting[\s\S]*digesting[\s\S]*balances/);
    expect((await say("explain", "letters/blank")).out).toContain("letter.empty");
    expect((await say("failed", "list")).out).toContain("letter.empty");
    expect((await say("trace", "blank", "--collection", "letters")).out).toContain("cutting");
    expect((await say("digests")).out).toBe("ann: 11 words in 3 paragraphs\nbob: 7 words in 3 paragraphs\n");
    expect((await say("threads")).err).toContain("belongs to the consensus pipeline");
  });

  it("drill it, by its configuration and by a module", async () => {
    const own = await say("drill", "--points", "6");
    expect([own.code, own.out]).toEqual([0, expect.stringContaining("post")]);
    writeFileSync(
      join(folder, "drilled.ts"),
      `import { letters } from "./pipeline.ts";\nexport { post } from "./pipeline.ts";\n` +
        `export const documents = [letters.document("x", { text: "One.\\n\\nTwo." as string })];\n`,
    );
    const named = await say("drill", "drilled.ts", "--points", "6", "--json");
    expect([named.code, JSON.parse(named.out)]).toEqual([
      0,
      expect.objectContaining({ ok: true, documents: 1 }),
    ]);
  });

  it.each(["22", "24"])(
    "load configurations in TypeScript on Node %s, installed and in the clone",
    async (version) => {
      const node = await fetchNode(version, join(folder, `.node-${version}`));
      if (node === null) return;
      const words = [
        "accept",
        "letters",
        "letters.jsonl",
        "--work",
        "--data",
        join(folder, `.data-${version}`),
      ];
      const installed = await headway(bin, folder, words, node);
      expect([installed.code, installed.out]).toEqual([3, expect.stringContaining("3 documents accepted")]);
      const shop = join(repo, "test/fixtures/shop-app");
      const cloned = await headway(join(repo, "cli/bin/headway.mjs"), shop, ["--help"], node);
      expect([cloned.code, cloned.out]).toEqual([0, expect.stringContaining("totals")]);
    },
  );

  it("run it with two workers beside the consensus pipeline in one database", async () => {
    const url = new URL(server.url);
    url.searchParams.set("schema", server.fresh());
    const at = ["--database", url.href, "--data", join(folder, "token")];
    const elsewhere = mkdtempSync(join(tmpdir(), "headway-mail-"));
    const mail =
      "From a@example.org Mon Jan  1 00:00:00 2024\nFrom: a@example.org\nSubject: Hello\nMessage-ID: <1@x>\n\nHello.\n";
    writeFileSync(join(elsewhere, "small.mbox"), mail);
    const worker = start(bin, folder, ["work", ...at]);
    try {
      await said(worker, /Headway is up/);
      const [read, accepted] = await Promise.all([
        headway(bin, elsewhere, [
          "ingest",
          "small.mbox",
          "--database",
          url.href,
          "--data",
          elsewhere,
          "--json",
        ]),
        say("accept", "letters", "letters.jsonl", "--work", "--json", ...at),
      ]);
      expect(read).toMatchObject({ code: 0 });
      expect(JSON.parse(accepted.out)).toMatchObject({ inserted: 3 });
      const { out } = await say("status", ...at);
      expect(out).toMatch(/cutting/);
      expect(out).toMatch(/parsing/);
      expect(out).toContain("balances");
      expect((await say("digests", ...at)).out).toContain("ann: 11 words");
      expect(
        (await headway(bin, elsewhere, ["threads", "--database", url.href, "--data", elsewhere])).out,
      ).toContain("Hello");
    } finally {
      worker.kill("SIGTERM");
      await ended(worker);
      rmSync(elsewhere, { recursive: true, force: true });
    }
  });
});
