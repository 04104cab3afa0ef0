import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../cli/src/run.ts";
import { type Block, outputPattern, readPage } from "../../tools/markdown.ts";
import { repo } from "../../tools/source.ts";
import { makeCollectingConsole } from "../consensus/collecting-console.ts";

const example = (name: string) => join(repo, "docs/examples", name);

async function drill(...words: string[]) {
  const console = makeCollectingConsole();
  const code = await run(["drill", ...words], console);
  return { code, out: console.out(), err: console.err() };
}

describe("headway drill", { timeout: 120_000 }, () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "headway-drill-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const page = readPage(readFileSync(join(repo, "docs/guides/drill.md"), "utf8"));
  const shown = page.blocks.flatMap((block, index): [string, Block][] =>
    block.info === "sh" ? [[block.code, page.blocks[index + 1] as Block]] : [],
  );

  it.each(shown)("prints what its page says: %s", async (command, { info, code: output }) => {
    expect(info).toBe("text output");
    const words = command.replace("npx headway drill ", "").split(" ");
    const { code, out, err } = await drill(join(repo, words[0] as string), ...words.slice(1));
    expect(out).toMatch(outputPattern(output));
    expect([code, err]).toEqual([out.includes("does not come") ? 1 : 0, ""]);
  });

  it("the page shows a pipeline that stands it and one that does not", () => {
    expect(shown.map(([command]) => command.split(" ")[3])).toEqual([
      "docs/examples/careless-orders.ts",
      "docs/examples/orders.ts",
    ]);
  });

  it("drills the pipeline we ship, on a few mails of the sample", async () => {
    const { code, out } = await drill("--points", "8", "--json");
    const drilled = JSON.parse(out);
    expect({ code, ok: drilled.ok, unexplained: drilled.unexplained }).toEqual({
      code: 0,
      ok: true,
      unexplained: [],
    });
    expect(drilled.stages.map(({ stage }: { stage: string }) => stage)).toContain("summarizing");
    for (const { stage, runs, dead } of drilled.stages)
      expect([stage, runs > 0, dead]).toEqual([stage, true, 0]);
  });

  it("takes documents from a file, and kills only where it is told to", async () => {
    const file = join(folder, "orders.ndjson");
    const order = { collection: "orders", id: "7", body: { customer: "eve", items: ["pen"] } };
    writeFileSync(file, `${JSON.stringify(order)}\n\n`);
    const words = ["--documents", file, "--stages", "labelling", "--points", "all", "--json"];
    const drilled = JSON.parse((await drill(example("orders.ts"), ...words)).out);
    expect(drilled.documents).toBe(1);
    expect(drilled.points).toBe(drilled.places);
    expect(drilled.stages).toMatchObject([{ stage: "labelling", points: drilled.points, same: true }]);
  });

  it("ends with 2 and one sentence when it is used in a wrong way", async () => {
    const write = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const orders = example("orders.ts");
    const wrong: [string[], RegExp][] = [
      [["nowhere.ts"], /^headway: There is no file nowhere\.ts\.\n$/],
      [[write("empty.mjs", "export const a = 1;")], /exports no pipeline: add "export const mine = /],
      [
        [write("broken.mjs", "throw new Error('out of ink');")],
        /broken\.mjs cannot be loaded: out of ink\n$/,
      ],
      [[orders, "--points", "0"], /--points is "0"; expected a whole number from 1/],
      [
        [orders, "--stages", "splitting,flying"],
        /shop has no stage "flying"; it has splitting, labelling, writing/,
      ],
      [[orders, "--documents", join(folder, "none")], /There is no file .*none to read documents from/],
      [[orders, "--documents", write("a", "{")], /Line 1 of .*a is no JSON: write \{"collection"/],
      [[orders, "--documents", write("b", "\n")], /gives no documents: a drill needs at least one/],
      [
        [orders, "--documents", write("c", '{"id":"7"}')],
        /Document 1 of .* needs a collection, an id and a body/,
      ],
      [
        [orders, "--documents", write("d", '{"collection":"letters","id":"7","body":{}}')],
        /Document "7" of .* is in "letters", which no stage reads \(orders, items, labels\)/,
      ],
      [[orders, "--documents", write("e", '{"collection":"orders","id":"7","body":{}}')], /customer/],
      [["--documents", "x"], /There is no file x to read documents from/],
      [
        [
          write(
            "needy.mjs",
            "export const p = { name: 'p', stages: [{ name: 's', run() {}, needs: [{ name: 'ink' }], reads: { name: 'c' }, writes: [] }] }; export const documents = [];",
          ),
        ],
        /gives no documents/,
      ],
    ];
    for (const [words, says] of wrong) {
      const { code, out, err } = await drill(...words);
      expect([words, code, out, says.test(err) || err]).toEqual([words, 2, "", true]);
    }
  });

  it("asks for the services that are missing", async () => {
    const module = join(folder, "no-services.ts");
    writeFileSync(module, `export { shop, documents } from ${JSON.stringify(example("orders.ts"))};`);
    const { code, err } = await drill(module);
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(
        /^headway: Stage "writing" needs the service "post": add "export const services = /,
      ),
    ]);
  });
});
