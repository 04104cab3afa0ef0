import { describe, expect, it } from "vitest";
import { groupStage, permanent, pipeline, stage, transient } from "../../../engine/src/index.ts";
import { openOperator } from "../../../engine/src/operate.ts";
import { sql } from "../../../engine/src/store/sql.ts";
import type { TestEngine } from "../../../engine/src/testing.ts";
import { copies, notes, reports } from "../../fixtures/notes.ts";
import { deadLetters, doneTasks, expectAllSettled } from "../../support/content.ts";
import { useVirtualEngines } from "../../support/virtual-engines.ts";

const engines = useVirtualEngines();

/** Notes are cut into sentences, sentences are embedded; the embedder may be broken. */
async function openIndex(embedder: { broken: (text: string) => Error | null }): Promise<TestEngine> {
  const cutting = stage("cutting", {
    reads: notes,
    writes: [copies],
    *run({ id, text }) {
      for (const [index, sentence] of text.split(". ").entries())
        yield copies.document(`${id}/${index}`, { text: sentence });
    },
  });
  const embedding = stage("embedding", {
    reads: copies,
    writes: [reports],
    retry: { attempts: 2 },
    *run({ id, text }) {
      const error = embedder.broken(text);
      if (error) throw error;
      yield reports.document(id, { text: `vector of ${text}` });
    },
  });
  return await engines.open({
    pipelines: [pipeline("index", { stages: [cutting, embedding] })],
    services: {},
  });
}

const operatorOf = ({ database, clock }: TestEngine) => openOperator({ database, clock, actor: "ann" });
const vectorsOf = async (engine: TestEngine) =>
  (await engine.all(reports)).map(({ id, text }) => `${id}: ${text}`);

describe("bugs of LlamaIndex's ingestion", () => {
  it("llama_index#19579: a document whose last step failed is not taken for done when it comes again", async () => {
    const embedder = { broken: (): Error | null => permanent("embedder.quota", "The quota is used up.") };
    const engine = await openIndex(embedder);
    for (let time = 0; time < 2; time++) {
      await engine.accept(notes.document("a", { text: "one" }));
      await engine.drain();
    }
    // The document stays in sight: cut, not embedded, and listed as such.
    expect(await deadLetters(engine.database)).toMatchObject([{ id: "a/0", stage: "embedding" }]);
    expect(await doneTasks(engine.database)).toMatchObject([{ id: "a", stage: "cutting" }]);
    embedder.broken = () => null;
    await (await operatorOf(engine)).requeueDead({ code: "embedder.quota" });
    await engine.drain();
    expect(await vectorsOf(engine)).toEqual(["a/0: vector of one"]);
    await expectAllSettled(engine.database);
  });

  it("llama_index#22638: a failed try leaves no mark that would make the next one skip the document", async () => {
    let tries = 0;
    const engine = await openIndex({
      broken: () => (++tries === 1 ? transient("embedder.busy", "Later, please.") : null),
    });
    await engine.accept(notes.document("a", { text: "one" }));
    await engine.step();
    const marks = await engine.database.query(sql`
      select 1 from headway.done r join headway.stage s on s.id = r.stage where s.name = 'embedding'`);
    expect([tries, marks]).toEqual([1, []]);
    await engine.accept(notes.document("a", { text: "one" }));
    await engine.drain();
    expect([tries, await vectorsOf(engine)]).toEqual([2, ["a/0: vector of one"]]);
  });

  it("llama_index#22639: while the new version cannot be made, the old one is there to be found", async () => {
    const embedder = { broken: (_: string): Error | null => null };
    const engine = await openIndex(embedder);
    await engine.accept(notes.document("a", { text: "old" }));
    await engine.drain();
    embedder.broken = (text) => (text === "new" ? permanent("embedder.refused", "I will not.") : null);
    await engine.accept(notes.document("a", { text: "new" }));
    await engine.drain();
    expect(await vectorsOf(engine)).toEqual(["a/0: vector of old"]);
    expect(await deadLetters(engine.database)).toMatchObject([{ id: "a/0", code: "embedder.refused" }]);
    embedder.broken = () => null;
    await (await operatorOf(engine)).requeueDead({ code: "embedder.refused" });
    await engine.drain();
    expect(await vectorsOf(engine)).toEqual(["a/0: vector of new"]);
  });

  it("llama_index#22133: every piece of a document is kept, not the last one only", async () => {
    const engine = await openIndex({ broken: () => null });
    await engine.accept(notes.document("a", { text: "one. two. three" }));
    await engine.drain();
    await engine.accept(notes.document("a", { text: "one. two. three. four" }));
    await engine.drain();
    expect(await vectorsOf(engine)).toEqual([
      "a/0: vector of one",
      "a/1: vector of two",
      "a/2: vector of three",
      "a/3: vector of four",
    ]);
  });

  it("llama_index#23002: of two documents with the same content one can go, and takes only its own with it", async () => {
    const engine = await openIndex({ broken: () => null });
    await engine.accept(["a", "b"].map((id) => notes.document(id, { text: "same" })));
    await engine.drain();
    await (await operatorOf(engine)).deleteDocument({ collection: "notes", id: "a" });
    await engine.drain();
    expect(await vectorsOf(engine)).toEqual(["b/0: vector of same"]);
  });

  it("llama_index#23002: what runs together to the same text is not the same", async () => {
    const joining = groupStage("joining", {
      reads: notes,
      writes: [reports],
      per: () => "all",
      *run({ key, documents }) {
        yield reports.document(key, { text: documents.map(({ text }) => `<${text}>`).join("") });
      },
    });
    const engine = await engines.open({ pipelines: [pipeline("p", { stages: [joining] })], services: {} });
    for (const [first, second] of [
      ["ab", "c"],
      ["a", "bc"],
    ] as const) {
      await engine.accept([notes.document("1", { text: first }), notes.document("2", { text: second })]);
      await engine.drain();
      expect(await engine.read(reports, "all")).toMatchObject({ text: `<${first}><${second}>` });
    }
  });
});
