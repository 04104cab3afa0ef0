import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import type { Signal, SignalKind } from "../engine/src/decide/signal.ts";
import { type Pipeline, pipeline, startEngine } from "../engine/src/index.ts";
import { store } from "../engine/src/store/store.ts";
import { openFolderBlobs } from "../intake/src/folder-blobs.ts";
import { makeConsensusParts } from "./archives.ts";
import { breakStore } from "./broken.ts";
import { askServices } from "./oracle.ts";
import { shop } from "./pipeline.ts";
import { type Point, passPoints } from "./points.ts";
import type { Order, WorkerOrder } from "./worker-order.ts";

/** Written synchronously, so the last line of a dying process arrives. */
const tell = (kind: string, what: object): void =>
  void writeSync(1, `${JSON.stringify({ at: new Date(), kind, ...what })}\n`);

const untold = new Set<SignalKind>(["task.done", "task.skipped", "task.waiting", "task.released"]);
const hear = (signal: Signal): void => {
  if (untold.has(signal.kind)) return;
  const { kind, at, ...what } = signal;
  // Stacks of faults are left out.
  if ("fault" in what) Object.assign(what, { fault: { kind: what.fault.kind, code: what.fault.code } });
  writeSync(1, `${JSON.stringify({ at, kind, ...what })}\n`);
};

/** Armed actions by point, with the number of passes to ignore. */
const armed = new Map<Point, { action: "kill" | "freeze"; after: number }>();

function passed(point: Point): void {
  const order = armed.get(point);
  if (!order || order.after-- > 0) return;
  armed.delete(point);
  tell("chaos.point", { point, action: order.action });
  process.kill(process.pid, order.action === "kill" ? "SIGKILL" : "SIGSTOP");
}

const order: WorkerOrder = JSON.parse(process.argv[2] as string);
// The engine takes its store from this object: replacements here hold for this process alone.
const honest = { ...store };
const chosen = order.broken ? breakStore(honest, order.broken) : honest;
Object.assign(store, passPoints(chosen, passed));
const told = store.relayEvents;
store.relayEvents = (db, limit, publish, now) =>
  told(
    db,
    limit,
    async (events) => {
      await publish(events);
      tell("chaos.told", { keys: events.map((event) => event.key) });
    },
    now,
  );
function obey(told: Order): void {
  if (told.kind === "arm") armed.set(told.point, { action: told.action, after: told.after });
  else if (told.point === "all") armed.clear();
  else armed.delete(told.point);
}
if (order.first) obey(order.first);
createInterface({ input: process.stdin }).on("line", (line) => {
  obey(JSON.parse(line));
});

/** As shipped, some stages run apart; their modules were bundled beside this script, so that a process starts quickly. */
const bundled = new URL("./", pathToFileURL(process.argv[1] as string));

async function start(): Promise<void> {
  const { stages, migrations, embedder, summarizer } = makeConsensusParts(bundled);
  const consensus = pipeline("consensus", { stages, ...(migrations && { migrations }) });
  const engine = await startEngine({
    pipelines: [shop, consensus] as readonly Pipeline[] as never,
    services: {
      ...askServices(order.oracle),
      fuse: {
        blow() {
          tell("chaos.bomb", {});
          process.kill(process.pid, "SIGKILL");
        },
      },
      blobs: await openFolderBlobs(order.blobs),
      embedder,
      summarizer,
    } as never,
    database: { url: order.url, schema: order.schema },
    name: order.name,
    config: order.config,
    onSignal: hear,
    ...order.engine,
  });
  tell("chaos.ready", {});
  process.once("SIGTERM", () => void engine.stop().then(() => process.exit(0)));
}

start().catch((error) => {
  tell("chaos.unable", { because: String((error as Error).message) });
  process.exit(1);
});
