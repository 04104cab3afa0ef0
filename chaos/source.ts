import type { DocumentDraft } from "../engine/src/define/collection.ts";
import type { Pipeline } from "../engine/src/define/pipeline.ts";
import { migrateAll, registerGraph } from "../engine/src/engine.ts";
import { makeAccept } from "../engine/src/run/accept.ts";
import { systemClock } from "../engine/src/run/clock.ts";
import { joinPipelines } from "../engine/src/run/graph.ts";
import type { Database } from "../engine/src/store/database.ts";
import { notify, workChannel } from "../engine/src/store/news.ts";
import { makeNumbers } from "../engine/src/store/numbers.ts";
import { store } from "../engine/src/store/store.ts";
import { serverTime } from "../engine/src/store/workers.ts";

/** Accepts documents and nothing else: no claims, no relay, no sweep, so the workers get no help. */
export interface Source {
  accept(drafts: readonly DocumentDraft[]): Promise<void>;
}

export async function openSource(db: Database, pipelines: readonly Pipeline[]): Promise<Source> {
  await migrateAll(db, pipelines);
  const clock = systemClock();
  clock.adjust(await serverTime(db));
  const graph = await registerGraph(db, joinPipelines(pipelines), clock);
  const numbers = makeNumbers();
  const wake = (stages: readonly number[]) =>
    void notify(db, workChannel, stages.join(",")).catch(() => undefined);
  const accept = makeAccept({ db, store, clock, graph, numbers, emit: () => undefined, wake });
  return {
    async accept(drafts) {
      const accepted = await accept(drafts);
      const trouble = accepted.refused[0]?.fault.message ?? accepted.conflicts[0];
      if (trouble) throw new Error(`The engine did not take what it should have taken: ${trouble}`);
    },
  };
}
