// One measurement of one peer, in a process of its own: node run.mjs '{"peer":"pg-boss","act":"completions",…}'.
// Says what it found as lines of JSON with a `kind`; whatever else the peer prints is not for us.
import { acts } from "./acts.mjs";

const order = JSON.parse(process.argv[2]);
const tell = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
try {
  const { open } = await import(`./${order.peer}.mjs`);
  const peer = await open(order);
  const figures = await acts[order.act](peer, order, tell);
  tell({ kind: "figures", figures });
  // A peer may take its time to stop; its databases are thrown away anyway.
  process.exit(0);
} catch (error) {
  process.stderr.write(`${error?.message || error}\n`);
  process.exit(1);
}
