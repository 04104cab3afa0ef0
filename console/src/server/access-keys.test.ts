import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { addAccessKey, readAccessKeys, removeAccessKey } from "./access-keys.ts";

it("keys made and removed at once are all kept and all gone", async () => {
  const folder = await mkdtemp(join(tmpdir(), "headway-keys-"));
  try {
    const names = Array.from({ length: 10 }, (_, index) => `person-${index}`);
    const add = (name: string) => addAccessKey(folder, { name, role: "reader", expiresAt: null });
    expect(new Set(await Promise.all(names.map(add))).size).toBe(10);
    expect((await readAccessKeys(folder)).map(({ name }) => name).sort()).toEqual(names);
    const removed = await Promise.all([...names, "nobody"].map((name) => removeAccessKey(folder, name)));
    expect(removed.filter(Boolean)).toHaveLength(10);
    expect(await readAccessKeys(folder)).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
