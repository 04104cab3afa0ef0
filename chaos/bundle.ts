import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { isolatedModules } from "./isolated-module.ts";

export interface Bundle {
  readonly script: string;
  close(): Promise<void>;
}

const cache = fileURLToPath(new URL("../.cache/chaos/", import.meta.url));

/** The worker as one JavaScript file: a storm starts a worker every second, and compiling takes longer. */
export async function bundleWorker(): Promise<Bundle> {
  await mkdir(cache, { recursive: true });
  // Concurrent storms must not change each other's workers.
  const folder = await mkdtemp(cache);
  await build({
    entryPoints: {
      worker: fileURLToPath(new URL("worker.ts", import.meta.url)),
      ...Object.fromEntries(
        isolatedModules.map((name) => [
          name,
          fileURLToPath(new URL(`../pipelines/consensus/src/stages/${name}.ts`, import.meta.url)),
        ]),
      ),
    },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@headway/source"],
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    external: ["pg-native", "@electric-sql/*"],
    logLevel: "error",
    plugins: [
      {
        name: "every file keeps its own place",
        setup: (building) =>
          building.onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
            loader: "ts",
            contents: (await readFile(path, "utf8")).replaceAll(
              "import.meta.url",
              JSON.stringify(pathToFileURL(path).href),
            ),
          })),
      },
    ],
  });
  return { script: join(folder, "worker.mjs"), close: () => rm(folder, { recursive: true, force: true }) };
}
