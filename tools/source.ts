import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "vitest/node";

/** The root of the clone. */
export const repo = fileURLToPath(new URL("../", import.meta.url));

/** A file of this repository; `path` is relative to its root and always has forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** A node of the syntax tree (ESTree with TypeScript's additions), read by name: the rules look at few kinds only. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  // biome-ignore lint/suspicious/noExplicitAny: spelling out ESTree would be longer than all rules together.
  readonly [key: string]: any;
}

export interface Import {
  readonly specifier: string;
  readonly typeOnly: boolean;
}

const ignored = readFileSync(join(repo, ".gitignore"), "utf8").split(/\s+/).filter(Boolean);
const isIgnored = (name: string) =>
  name === ".git" ||
  ignored.some((line) =>
    line.startsWith("*") ? name.endsWith(line.slice(1)) : name === line.replaceAll("/", ""),
  );

/** What lies directly in a folder of the repository and is not ignored by git. */
export const entriesOf = (folder: string): string[] =>
  readdirSync(join(repo, folder))
    .filter((name) => !isIgnored(name))
    .sort();

/** Copied into packages while npm packs them. */
const packed = ["LICENSE", "CHANGELOG.md"];

/** Every file of the repository with a matching path. */
export function filesMatching(pattern: RegExp): SourceFile[] {
  const found: SourceFile[] = [];
  const enter = (folder: string) => {
    for (const entry of readdirSync(join(repo, folder), { withFileTypes: true })) {
      if (isIgnored(entry.name) || (folder !== "" && packed.includes(entry.name))) continue;
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) enter(path);
      else if (entry.isFile() && pattern.test(path))
        found.push({ path, text: readFileSync(join(repo, path), "utf8") });
    }
  };
  enter("");
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

export const isCode = (path: string): boolean => /\.(ts|tsx|mts|js|mjs)$/.test(path);
export const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path);

export const linesOf = (text: string): number => text.replace(/\n$/, "").split("\n").length;

const trees = new Map<string, Node>();

/** The syntax tree of a code file. */
export function parse({ path, text }: SourceFile): Node {
  const key = `${path}\n${text}`;
  const known = trees.get(key);
  if (known) return known;
  const lang = path.endsWith("x") ? "tsx" : path.endsWith("ts") ? "ts" : "js";
  const tree = parseAst(text, { lang }) as unknown as Node;
  trees.set(key, tree);
  return tree;
}

/** Visits a tree from the outside in; `parents` are the surrounding nodes, nearest first. */
export function walk(
  node: Node,
  visit: (node: Node, parents: readonly Node[]) => void,
  parents: readonly Node[] = [],
) {
  visit(node, parents);
  const around = [node, ...parents];
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child !== null && typeof child === "object" && typeof child.type === "string")
        walk(child, visit, around);
    }
  }
}

/** All imports of a file in any form: `import`, `export … from`, `import()`, `import("…").Type`. */
export function importsOf(file: SourceFile): Import[] {
  const imports: Import[] = [];
  walk(parse(file), (node) => {
    const specifier = node.source?.value;
    if (typeof specifier !== "string") return;
    if (node.type === "ImportDeclaration") {
      const kinds: string[] = node.specifiers.map((each: Node) => each.importKind);
      const typeOnly =
        node.importKind === "type" || (kinds.length > 0 && kinds.every((kind) => kind === "type"));
      imports.push({ specifier, typeOnly });
    } else if (node.type === "ExportNamedDeclaration" || node.type === "ExportAllDeclaration") {
      imports.push({ specifier, typeOnly: node.exportKind === "type" });
    } else if (node.type === "ImportExpression" || node.type === "TSImportType") {
      imports.push({ specifier, typeOnly: node.type === "TSImportType" });
    }
  });
  return imports;
}
