import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addAccessKey } from "@headway/console";
import { afterEach, beforeEach, expect, it } from "vitest";
import { refuseOpenAddress } from "./serve-operators.ts";

let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "headway-open-"));
});
afterEach(() => rm(data, { recursive: true }));

it("a public address is refused without keys, and with an embedded database", async () => {
  for (const host of ["0.0.0.0", "::", "192.0.2.7", "console.example.org"]) {
    await expect(refuseOpenAddress(host, data, false)).rejects.toThrow("nobody has a key");
    await expect(refuseOpenAddress(host, data, true)).rejects.toThrow("embedded database");
  }
  for (const host of ["127.0.0.1", "::1", "localhost"]) await refuseOpenAddress(host, data, true);
  await addAccessKey(data, { name: "ann", role: "reader", expiresAt: null });
  await refuseOpenAddress("0.0.0.0", data, false);
  await expect(refuseOpenAddress("0.0.0.0", data, true)).rejects.toThrow("embedded database");
});
