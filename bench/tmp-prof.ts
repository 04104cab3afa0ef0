import { rm } from "node:fs/promises";
import { feed, readSettings, startConsensus } from "@headway/consensus";

const [, , url, ...places] = process.argv;
await rm("/tmp/prof-lead/d", { recursive: true, force: true });
const c = await startConsensus({
  data: "/tmp/prof-lead/d",
  ...(url !== "-" && { database: { url: url as string, schema: "prof" } }),
  settings: readSettings(process.env),
});
const db = c.engine.database as any;
const stats = new Map<string, [number, number, number]>();
const timed = (f: any) => async (s: any) => {
  const t = performance.now();
  try {
    return await f(s);
  } finally {
    const k = String(s.text).replace(/\s+/g, " ").slice(0, 150);
    const e = stats.get(k) ?? [0, 0, 0];
    const d = performance.now() - t;
    e[0] += d;
    e[1]++;
    e[2] = Math.max(e[2], d);
    stats.set(k, e);
  }
};
db.query = timed(db.query.bind(db));
const tr = db.transaction.bind(db);
db.transaction = (work: any) => {
  const t = performance.now();
  let w = 0;
  return tr((tx: any) => {
    w = performance.now() - t;
    const q = timed(tx.query.bind(tx));
    return work({ ...tx, query: q });
  }).finally(() => {
    const e = stats.get("TX") ?? [0, 0, 0];
    e[0] += performance.now() - t;
    e[1]++;
    e[2] += w;
    stats.set("TX", e);
  });
};
const t0 = performance.now();
const done: Record<string, [number, number]> = {};
c.engine.onSignal((s: any) => {
  if (s.kind === "task.done") {
    const e = (done[s.stage] ??= [0, 0]);
    e[0]++;
    e[1] = Math.round(performance.now() - t0);
  }
});
await feed(c, places);
console.log("fed", performance.now() - t0);
await Promise.race([c.engine.settled(), new Promise((r) => setTimeout(r, 60_000))]);
console.log("settled", performance.now() - t0, done);
for (const [k, [ms, n, max]] of [...stats].sort((a, b) => b[1][0] - a[1][0]).slice(0, 14))
  console.log(Math.round(ms), n, Math.round(max), k);
await c.stop();
