import { mkdir, writeFile } from "node:fs/promises";
import { bundleWebFiles } from "./web-files.ts";

/** Writes the files for browsers into the package. */
const folder = new URL("../../dist/web/", import.meta.url);
await mkdir(folder, { recursive: true });
for (const { path, bytes } of await bundleWebFiles())
  await writeFile(new URL(path.slice("/assets/".length), folder), bytes);
