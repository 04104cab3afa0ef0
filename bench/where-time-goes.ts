import { Session } from "node:inspector/promises";
import { parseArgs } from "node:util";
import { realFolders } from "./mail-archives.ts";
import { measureEndToEnd } from "./mail-engine.ts";
import { completions } from "./ours/completions.ts";
import { corporaAbsent } from "./quality/corpora.ts";
import { onOwnDatabase } from "./server.ts";

const help = `npm run bench:profile -- [chain|stages|mail]

Samples the thread that works, and says whose code it was in: the stages and what they use, the engine, the database's driver,
the garbage collector, or nobody's, because it waited.

  chain     100,000 documents through one stage, on PostgreSQL (the default)
  stages    40,000 documents through three stages
  mail      the real mailing lists of ../shared/corpora through the consensus pipeline, twice`;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { help: { type: "boolean", default: false } },
});

type Act = (database: { url: string }) => Promise<unknown>;
const acts: Readonly<Record<string, Act>> = {
  chain: (database) => completions({ database, count: 100_000, stages: ["first"] }),
  stages: (database) => completions({ database, count: 40_000 }),
  mail: (database) => measureEndToEnd(database, realFolders()),
};

interface Node {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

/** Owner of a file; null: Node itself, charged to the caller. */
function ownerOf({ callFrame: { functionName, url } }: Node): string | null {
  if (functionName === "(idle)") return "waiting";
  if (functionName === "(garbage collector)") return "garbage collector";
  if (functionName === "(program)" || functionName === "(root)") return "Node itself";
  const [, library] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (library === "@headway/engine" || /\/engine\/(?:src|dist)\//.test(url)) return "engine";
  if (library !== undefined && /^(?:pg|pg-.*|postgres-.*)$/.test(library)) return "driver";
  if (library === "tsx" || library === "esbuild") return "Node itself";
  if (library !== undefined || /\/(?:pipelines|bench)\//.test(url)) return "stages";
  return null;
}

async function main(): Promise<number> {
  const name = positionals[0] ?? "chain";
  const act = acts[name];
  if (values.help || !act) {
    console.log(help);
    return values.help ? 0 : 2;
  }
  if (name === "mail" && corporaAbsent) {
    console.error("../shared/corpora is not there, so there is no mail to read.");
    return 1;
  }
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.start");
  await onOwnDatabase((url) => act({ url }));
  const { profile } = await session.post("Profiler.stop");
  tell(profile.nodes as Node[], profile.samples ?? [], profile.timeDeltas ?? []);
  return 0;
}

function tell(nodes: readonly Node[], samples: readonly number[], deltas: readonly number[]): void {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])));
  const owners = new Map<string, number>();
  const functions = new Map<string, number>();
  const add = (to: Map<string, number>, key: string, value: number) =>
    to.set(key, (to.get(key) ?? 0) + value);
  const total = deltas.reduce((sum, one) => sum + one, 0);
  const ours = new Map<string, number>();
  const nameOf = ({ callFrame: { functionName, url } }: Node) =>
    `${functionName || "(anonymous)"} ${url.split("/").slice(-2).join("/")}`;
  for (const [index, id] of samples.entries()) {
    const time = deltas[index] as number;
    let at = id;
    let owner = ownerOf(byId.get(at) as Node);
    for (let above = parents.get(at); owner === null && above !== undefined; above = parents.get(at)) {
      at = above;
      owner = ownerOf(byId.get(at) as Node);
    }
    add(owners, owner ?? "Node itself", time);
    add(functions, nameOf(byId.get(id) as Node), time);
    if (owner === "engine") add(ours, nameOf(byId.get(at) as Node), time);
  }
  const show = (all: Map<string, number>, most: number) => {
    for (const [what, time] of [...all].sort((a, b) => b[1] - a[1]).slice(0, most))
      console.log(`${((100 * time) / total).toFixed(1).padStart(6)} %  ${what}`);
  };
  console.log(`${(total / 1e6).toFixed(1)} s, whose code the thread was in:`);
  show(owners, 10);
  console.log("\nThe functions themselves:");
  show(functions, 20);
  console.log("\nThe engine's functions, with what Node does for them:");
  show(ours, 20);
}

process.exitCode = await main();
