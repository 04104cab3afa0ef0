import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { z } from "zod";
import {
  collection,
  countSignals,
  namesIn,
  pipeline,
  prometheusText,
  type Signal,
  stage,
  startEngine,
} from "../engine/src/index.ts";

/**
 * Completions per second without watching, with counters, a scrape a second, alerts and a census a second, and with traces of
 * every document as well (the collector is in the same process), in turns: `node --conditions=@headway/source --import tsx bench/watch-cost.ts --json`.
 */
const { values } = parseArgs({
  options: {
    documents: { type: "string", default: "20000" },
    turns: { type: "string", default: "4" },
    json: { type: "boolean", default: false },
  },
});
const documents = Number(values.documents);
const letters = collection("letters", z.object({ text: z.string() }));
const answers = collection("answers", z.object({ text: z.string() }));
const answering = stage("answering", {
  reads: letters,
  writes: [answers],
  *run({ id, text }) {
    yield answers.document(id, { text });
  },
});
const post = pipeline("post", { stages: [answering] });
const url = process.env.HEADWAY_TEST_POSTGRES ?? readFileSync(".cache/services/postgres.url", "utf8").trim();
const variables = ["OTEL_EXPORTER_OTLP_ENDPOINT", "HEADWAY_ALERT_WEBHOOK_URL"];

type Mode = "off" | "on" | "traced";

async function run(turn: number, mode: Mode, sink: string): Promise<number> {
  const watched = mode !== "off";
  for (const name of variables) delete process.env[name];
  if (watched) process.env.HEADWAY_ALERT_WEBHOOK_URL = sink;
  if (mode === "traced") process.env.OTEL_EXPORTER_OTLP_ENDPOINT = sink;
  const schema = `watch_cost_${process.pid}_${turn}_${mode}`;
  const counters = countSignals();
  counters.expect(namesIn([post]));
  const engine = await startEngine({
    pipelines: [post],
    services: {},
    database: { url, schema },
    config: { censusMs: watched ? 1_000 : 3_600_000, alertMs: watched ? 5_000 : 600_000 },
    ...(watched && { onSignal: (signal: Signal) => counters.heard(signal) }),
  });
  const scrape = watched && setInterval(() => prometheusText(counters.snapshot()), 1_000);
  const began = performance.now();
  for (let from = 0; from < documents; from += 500)
    await engine.accept(
      Array.from({ length: 500 }, (_, at) => letters.document(`letter-${from + at}`, { text: `Text ${at}` })),
    );
  await engine.settled();
  const seconds = (performance.now() - began) / 1_000;
  if (scrape) clearInterval(scrape);
  await engine.database
    .query({
      text: `drop schema "${schema}" cascade`,
      values: [],
    })
    .catch(() => undefined);
  await engine.stop().catch(() => undefined);
  return Math.round(documents / seconds);
}

/** Time to count one signal, in microseconds. */
function countingMicros(): number {
  const counters = countSignals();
  counters.expect(namesIn([post]));
  const signal = {
    kind: "task.done",
    at: new Date(),
    stage: "answering",
    documentId: "d",
    subject: 1,
    correlationId: "req_1.stage_answering.retry_0",
    attempt: 1,
    outputs: 1,
    durationMs: 3,
  } as const;
  for (let at = 0; at < 50_000; at++) counters.heard(signal);
  // Processor time, which others on the machine do not lengthen as much as time on the wall.
  const began = process.cpuUsage();
  for (let at = 0; at < 200_000; at++) counters.heard(signal);
  const { user, system } = process.cpuUsage(began);
  return Number(((user + system) / 200_000).toFixed(2));
}

const sink = createServer((request, response) => {
  request.resume();
  request.on("end", () => response.end("{}"));
});
await new Promise<void>((resolve) => sink.listen(0, "127.0.0.1", resolve));
const address = `http://127.0.0.1:${(sink.address() as AddressInfo).port}`;
const [off, on, traced]: number[][] = [[], [], []];
for (let turn = 0; turn < Number(values.turns); turn++) {
  off?.push(await run(turn, "off", address));
  on?.push(await run(turn, "on", address));
  traced?.push(await run(turn, "traced", address));
}
sink.close();
const loss = (some: readonly number[] = []) =>
  Number((100 * (1 - Math.max(...some) / Math.max(...(off ?? [])))).toFixed(1));
const figures = {
  off,
  on,
  traced,
  lossPercent: loss(on),
  lossWithTracesPercent: loss(traced),
  countingMicros: countingMicros(),
  load: Number(loadavg()[0]?.toFixed(1)),
};
console.log(values.json ? JSON.stringify(figures) : figures);
