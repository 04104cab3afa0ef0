import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** A file that browsers load. */
export interface WebFile {
  readonly path: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

const folder = new URL("../web/", import.meta.url);
const source = new URL("main.tsx", folder);

/** In a clone the files are bundled from their sources in memory; an installed package brings them. */
export const loadWebFiles = (): Promise<readonly WebFile[]> =>
  existsSync(source) ? bundleWebFiles() : readBuilt();

/** Bundles the pages; the name of a file depends on its content, so browsers may keep it for ever. */
export async function bundleWebFiles(): Promise<readonly WebFile[]> {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: { app: fileURLToPath(source) },
    bundle: true,
    minify: true,
    write: false,
    outdir: "/",
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    loader: { ".woff2": "file" },
    assetNames: "[name]-[hash]",
    publicPath: "/assets",
    logLevel: "error",
  });
  return outputFiles.map(({ path, contents }) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (name.endsWith(".woff2")) return { path: `/assets/${name}`, type: typeOf("woff2"), bytes: contents };
    const hash = createHash("sha256").update(contents).digest("hex").slice(0, 12);
    const ending = path.endsWith(".css") ? "css" : "js";
    return { path: `/assets/app-${hash}.${ending}`, type: typeOf(ending), bytes: contents };
  });
}

async function readBuilt(): Promise<readonly WebFile[]> {
  const names = await readdir(folder);
  return await Promise.all(
    names.map(async (name) => {
      const ending = name.slice(name.lastIndexOf(".") + 1);
      return {
        path: `/assets/${name}`,
        type: typeOf(ending),
        bytes: await readFile(new URL(name, folder)),
      };
    }),
  );
}

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  woff2: "font/woff2",
};
const typeOf = (ending: string): string => types[ending] ?? "text/plain; charset=utf-8";

/** The page around everything. Holds no data, so a link from a mail or a chat opens without a cookie. */
export function shellOf(files: readonly WebFile[]): string {
  const href = (ending: string) => files.find(({ path }) => path.endsWith(ending))?.path ?? "";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Headway</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M2 8h8M7 3l5 5-5 5' fill='none' stroke='%23b4532a' stroke-width='2.4'/%3E%3C/svg%3E">
<link rel="stylesheet" href="${href(".css")}">
<script type="module" src="${href(".js")}"></script>
</head>
<body><div id="root"><noscript>The console needs JavaScript. "headway status" shows the same in a terminal.</noscript></div></body>
</html>
`;
}
