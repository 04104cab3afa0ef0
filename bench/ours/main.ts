import { completions } from "./completions.ts";
import { enqueue } from "./enqueue.ts";
import { growth } from "./growth.ts";
import { hold } from "./hold.ts";
import type { Order, Tell } from "./order.ts";
import { throughAll } from "./through-all.ts";
import { wake } from "./wake.ts";
import { work } from "./work.ts";

// One measurement of Headway in a process of its own; bench/peers/run.mjs is the counterpart for the peers.
const acts = { completions, enqueue, wake, hold, pipeline: throughAll, growth, work };

const order: Order = JSON.parse(process.argv[2] as string);
const tell: Tell = (line) => void process.stdout.write(`${JSON.stringify(line)}\n`);
try {
  const figures = await acts[order.act](order, tell);
  if (figures) tell({ kind: "figures", figures });
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
