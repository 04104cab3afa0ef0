import { readFile, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { packageError } from "../define/definition-error.ts";

/** A `WebAssembly.Module`, which Node's types lack. */
export type PgliteCode = object;

const compiler = Reflect.get(globalThis, "WebAssembly") as {
  compile(bytes: Uint8Array): Promise<PgliteCode>;
};

let compiling: Promise<PgliteCode> | undefined;

/**
 * PGlite's code, compiled once for all databases of this process: a second database opens in half the time, with the
 * code already optimised.
 */
export async function compilePglite(): Promise<PgliteCode> {
  compiling ??= readFile(codePath()).then((bytes) => compiler.compile(bytes));
  return await compiling;
}

/** Identifies a build. The size detects a build replaced under the same version. */
export async function pgliteVersion(): Promise<string> {
  const path = codePath();
  const { version } = JSON.parse(await readFile(join(dirname(path), "../package.json"), "utf8")) as {
    version: string;
  };
  return `${version}-${(await stat(path)).size}`;
}

function codePath(): string {
  const { resolve } = createRequire(import.meta.url);
  try {
    // The extension is a package of its own; without either no embedded database opens.
    resolve("@electric-sql/pglite-pgvector");
    return join(dirname(resolve("@electric-sql/pglite")), "pglite.wasm");
  } catch (error) {
    throw packageError(error, {
      name: "@electric-sql/pglite @electric-sql/pglite-pgvector",
      purpose:
        "or use a PostgreSQL server instead of the embedded database (--database, HEADWAY_DATABASE_URL)",
    });
  }
}
