import { collection, pipeline, stage, startEngine } from "@headway/engine";
import type { Test } from "./observe.ts";

interface Body {
  readonly text: string;
}
const body = {
  "~standard": {
    version: 1 as const,
    vendor: "headway",
    validate: (value: unknown) => ({ value: value as Body }),
  },
};
const [sheets, drafts, proofs] = [
  collection("sheets", body),
  collection("drafts", body),
  collection("proofs", body),
];

const drafting = stage("drafting", {
  reads: sheets,
  writes: [drafts],
  *run({ id, text }) {
    yield drafts.document(id, { text });
  },
});
const proofing = stage("proofing", {
  reads: drafts,
  writes: [proofs],
  *run({ id, text }) {
    yield proofs.document(id, { text });
  },
});

const press = pipeline("press", { stages: [drafting, proofing] });
const text = "Every document is waiting, worked on, done or visibly dead. ".repeat(17).slice(0, 1_000);

/** Documents of 1 KB through two stages that only copy: the remaining cost is the engine's. */
export const engineTest = (documents: number): Test => ({
  name: "engine",
  documentSet: `${documents} generated documents of 1 KB`,
  async start({ database, onSignal }) {
    const engine = await startEngine({ pipelines: [press], services: {}, database, onSignal });
    return {
      engine,
      async work() {
        const ids = Array.from({ length: documents }, (_, number) => String(number).padStart(8, "0"));
        await engine.accept(ids.map((id) => sheets.document(id, { text })));
        await engine.settled();
        return documents;
      },
      stop: () => engine.stop(),
    };
  },
});
