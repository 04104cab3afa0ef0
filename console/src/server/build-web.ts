import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleWebFiles } from "./web-files.ts";

/** Writes the files for browsers into the package, or into the folder that is named. */
const folder = process.argv[2] ?? fileURLToPath(new URL("../../dist/web", import.meta.url));
await mkdir(folder, { recursive: true });
for (const { path, bytes } of await bundleWebFiles())
  await writeFile(join(folder, path.slice("/assets/".length)), bytes);

// The licence of the faces asks to travel with them.
const require = createRequire(import.meta.url);
for (const face of ["newsreader", "instrument-sans"])
  await writeFile(
    join(folder, `${face}-licence.txt`),
    await readFile(require.resolve(`@fontsource-variable/${face}/LICENSE`)),
  );
