import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { startEngine } from "../../engine/src/index.ts";
import { quickConfig } from "../support/own-schema.ts";
import { describeReadSide } from "./read-side.ts";

const folders: Promise<string>[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(await folder, { recursive: true, force: true });
});

describeReadSide("PGlite", () => {
  const folder = mkdtemp(join(tmpdir(), "read-side-"));
  folders.push(folder);
  return {
    start: async (pipelines) =>
      await startEngine({
        pipelines,
        services: {},
        database: { folder: join(await folder, "db") },
        config: quickConfig,
      }),
  };
});
