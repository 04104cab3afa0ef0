import type { Stage } from "../../engine/src/define/stage.ts";
import { systemClock } from "../../engine/src/run/clock.ts";
import type { Item } from "../../engine/src/run/item.ts";
import { Running } from "../../engine/src/run/running.ts";
import type { Isolates } from "../../engine/src/sandbox/isolate.ts";

export function anItem(id: string): Item {
  const now = new Date(0);
  const times = { readyAt: now, owedAt: now, firstAttemptAt: null };
  const counts = { subject: 1, rank: 0, generation: 1, attempts: 0, waits: 0, crashes: 0 };
  const input = { id, hash: null, body: {}, gone: false };
  const rest = { request: "req_1", fault: null, marker: null, reason: null };
  const task = { ...times, ...counts, ...input, ...rest };
  const hashes = { inputHash: Buffer.alloc(8), marker: Buffer.alloc(8) };
  return { task, ...hashes, looks: null, members: null, attempts: 2, waits: 0 };
}

/** An isolated run, started as in `attempt.ts`. */
export function beginRun(isolates: Isolates, stage: Stage, input: object = {}, id = "page") {
  const running = new Running(stage, [anItem(id)], { services: {}, clock: systemClock() });
  const yields = isolates.run(stage, { ...input, id }, running)[Symbol.asyncIterator]();
  return { running, yields };
}
