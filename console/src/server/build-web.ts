import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleWebFiles } from "./web-files.ts";

/** Writes the files for browsers into the package, or into the folder that is named. */
const folder = process.argv[2] ?? fileURLToPath(new URL("../../dist/web", import.meta.url));
await mkdir(folder, { recursive: true });
for (const { path, bytes } of await bundleWebFiles())
  await writeFile(join(folder, path.slice("/assets/".length)), bytes);
