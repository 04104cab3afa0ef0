import { addAccessKey } from "../../console/src/server/access-keys.ts";
import type { DatabaseOption } from "../../engine/src/index.ts";
import { openLetters } from "./worlds.ts";

const tabs = 50;
const perPerson = 20;
const boxes = 40;
const letters = Array.from({ length: 50 }, (_, index) => `good ${index}`);

/** Completions per second of the letters pipeline without and with fifty open tabs, in turns. */
export async function measureTabs(database: DatabaseOption, rounds: number) {
  const world = await openLetters(database);
  try {
    const cookies = await Promise.all(
      Array.from({ length: Math.ceil(tabs / perPerson) }, (_, index) =>
        enter(world.url, world.data, `tab-${index}`),
      ),
    );
    let box = 0;
    const round = async (): Promise<number> => {
      const from = performance.now();
      const first = box;
      for (; box < first + boxes; box++) await world.bring(`box-${box}`, letters, `list-${box}`);
      await world.engine.settled();
      return (boxes * letters.length) / ((performance.now() - from) / 1_000);
    };
    await round();
    const without: number[] = [];
    const withTabs: number[] = [];
    for (let turn = 0; turn < rounds; turn++) {
      without.push(await round());
      const close = await openTabs(world.url, cookies);
      withTabs.push(await round());
      close();
    }
    const [alone, watched] = [median(without), median(withTabs)];
    return { without: alone, withTabs: watched, lostPercent: Math.round((1 - watched / alone) * 1_000) / 10 };
  } finally {
    const { database: filled } = world.engine;
    await filled.script(`drop schema if exists "${filled.schema}" cascade`).catch(() => undefined);
    await world.close().catch(() => undefined);
  }
}

async function enter(url: string, data: string, name: string): Promise<string> {
  const key = await addAccessKey(data, { name, role: "reader", expiresAt: null });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${url}/api/console/enter`, {
    method: "POST",
    headers,
    body: JSON.stringify({ key }),
  });
  return (answer.headers.get("set-cookie") ?? "").split(";")[0] as string;
}

async function openTabs(url: string, cookies: readonly string[]): Promise<() => void> {
  const closing = new AbortController();
  for (let tab = 0; tab < tabs; tab++) {
    const cookie = cookies[Math.floor(tab / perPerson)] as string;
    const answer = await fetch(`${url}/api/console/live`, { headers: { cookie }, signal: closing.signal });
    if (!answer.ok || !answer.body) throw new Error(`Tab ${tab}: ${answer.status}`);
    void drain(answer.body);
  }
  return () => closing.abort();
}

/** Reads a stream to its end, as a browser does. */
export async function drain(body: ReadableStream<Uint8Array>): Promise<void> {
  try {
    for await (const _ of body);
  } catch {
    // The tab was closed.
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
