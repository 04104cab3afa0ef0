import { expect, it } from "vitest";
import { z } from "zod";
import { collection } from "../../engine/src/define/collection.ts";
import { pipeline } from "../../engine/src/define/pipeline.ts";
import { groupStage, stage } from "../../engine/src/define/stage.ts";
import { openOperator } from "../../engine/src/operate.ts";
import { useOwnSchema } from "../support/own-schema.ts";

const own = useOwnSchema("added");
const notes = collection("notes", z.object({ topic: z.string() }));
const sums = collection("sums", z.object({ size: z.number() }));
const reading = stage("reading", { reads: notes, writes: [], *run() {} });
const summing = groupStage("summing", {
  reads: notes,
  writes: [sums],
  per: ({ topic }) => topic,
  *run({ key, documents }) {
    yield sums.document(key, { size: documents.length });
  },
});
const late = stage("late", { reads: notes, writes: [], *run() {} });

it("settled() waits for a stage that was added, with two workers that start at once", async () => {
  const schema = own.fresh();
  const many = 3_000;
  const first = await own.start({
    schema,
    pipelines: [pipeline("notes", { stages: [reading] })],
    services: {},
  });
  await first.accept(
    Array.from({ length: many }, (_, n) => notes.document(String(n), { topic: String(n % 9) })),
  );
  await first.settled();
  await first.stop();
  const after = pipeline("notes", { stages: [reading, late, summing] });
  const start = () => own.start({ schema, pipelines: [after], services: {} });
  const [one, other] = await Promise.all([start(), start()]);
  await Promise.all([one.settled(), other.settled()]);
  const operator = await openOperator({ database: one.database, actor: "ann", pipelines: [after] });
  expect((await operator.status()).map((line) => [line.stage, line.done, line.balanced])).toEqual([
    ["reading", many, true],
    ["late", many, true],
    ["summing", 9, true],
  ]);
  expect(await operator.verify()).toMatchObject({ ok: true });
  let size = 0;
  for await (const sum of one.documents(sums)) size += sum.size;
  expect(size).toBe(many);
});
