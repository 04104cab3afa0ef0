import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { verbGroups } from "../engine/src/operate/verb-groups.ts";
import { type Node, parse, repo } from "./source.ts";

/** An export of a door, with its doc comment. */
export interface Exported {
  readonly name: string;
  readonly kind: "function" | "value" | "type" | "error";
  /** Sentences of the doc comment, without tags. */
  readonly about: string;
  readonly example: string | null;
  /** The head of a function or constant, or a type of one line. */
  readonly signature: string | null;
  readonly members: readonly Member[];
}

export interface Member {
  readonly name: string;
  readonly type: string;
  readonly about: string;
  readonly byDefault: string | null;
}

/** Every export of a door, in the order of its file. */
export function exportsOf(door: string): Exported[] {
  return declarationsIn(door)
    .filter(({ type }) => type === "ExportNamedDeclaration" || type === "Exported")
    .flatMap((node) => readExport(door, node));
}

const texts = new Map<string, { text: string; body: readonly Node[] }>();
function read(path: string): { text: string; body: readonly Node[] } {
  const known = texts.get(path);
  if (known) return known;
  const text = readFileSync(join(repo, path), "utf8");
  const made = { text, body: parse({ path, text }).body as readonly Node[] };
  texts.set(path, made);
  return made;
}

const declarationsIn = (path: string): readonly Node[] => read(path).body;

function readExport(path: string, node: Node): Exported[] {
  if (node.source) {
    const from = normalize(join(dirname(path), node.source.value));
    return node.specifiers.flatMap((one: Node) => describe(from, one.local.name));
  }
  return node.declaration ? describe(path, nameOf(node.declaration)) : [];
}

const nameOf = (node: Node): string => node.id?.name ?? node.declarations?.[0]?.id.name;

function describe(path: string, name: string): Exported[] {
  const { text, body } = read(path);
  // Of overloads the first is shown: its comment is about all.
  const found = body.find(
    ({ type, declaration }) =>
      type === "ExportNamedDeclaration" && declaration && nameOf(declaration) === name,
  );
  if (!found) {
    const passedOn = body.find(
      (node) => node.source && node.specifiers?.some((one: Node) => one.exported?.name === name),
    );
    if (passedOn) return describe(normalize(join(dirname(path), passedOn.source.value)), name);
    throw new Error(`${path} exports no ${name}.`);
  }
  const { declaration } = found;
  const { about, example } = readComment(commentBefore(text, found.start));
  return [
    {
      name,
      kind: kindOf(declaration),
      about,
      example,
      signature: signatureOf(text, declaration),
      members: membersOf(text, declaration),
    },
  ];
}

function kindOf({ type }: Node): Exported["kind"] {
  if (/^TS(Interface|TypeAlias)Declaration$/.test(type)) return "type";
  if (type === "ClassDeclaration") return "error";
  return type === "VariableDeclaration" ? "value" : "function";
}

/** The doc comment that ends right before a place. */
function commentBefore(text: string, at: number): string {
  const before = text.slice(0, at).replace(/(\n\/\/[^\n]*)?\s*$/, "");
  if (!before.endsWith("*/")) return "";
  const from = before.lastIndexOf("/**");
  return from < 0 ? "" : before.slice(from + 3, -2);
}

interface Comment {
  readonly about: string;
  readonly example: string | null;
  readonly byDefault: string | null;
}

function readComment(comment: string): Comment {
  const lines = comment.split("\n").map((line) => line.trim().replace(/^\* ?/, ""));
  const [head = "", ...tags] = lines.join("\n").split(/^@(?=default|example)/m);
  const tag = (name: string) =>
    tags
      .find((one) => one.startsWith(name))
      ?.slice(name.length)
      .replace(/^[ \n]/, "")
      .trimEnd() ?? null;
  return {
    about: head
      .trim()
      .split(/\s*\n\s*/)
      .join(" "),
    example: tag("example"),
    byDefault: tag("default"),
  };
}

function signatureOf(text: string, node: Node): string | null {
  if (node.type === "TSInterfaceDeclaration") return null;
  if (node.type === "TSTypeAliasDeclaration") return text.slice(node.start, node.end);
  if (node.type === "VariableDeclaration") {
    const [one] = node.declarations;
    const to = one.init?.body?.start ?? one.init?.start;
    return `const ${text
      .slice(one.start, to)
      .replace(/=>?\s*$/, "")
      .trimEnd()}`;
  }
  return text.slice(node.start, node.body?.start ?? node.end).trimEnd();
}

function membersOf(text: string, node: Node): Member[] {
  const members: readonly Node[] = node.type === "TSInterfaceDeclaration" ? node.body.body : [];
  return members.flatMap((member) => {
    const name = member.key?.name;
    if (name === undefined) return [];
    const { about, byDefault } = readComment(commentBefore(text, member.start));
    const declared = text
      .slice(member.start, member.end)
      .replace(/^readonly /, "")
      .replace(/;$/, "");
    return [{ name, type: declared.replace(/\s*\n\s*/g, " "), about, byDefault }];
  });
}

const cell = (text: string): string => text.replaceAll("|", "\\|");

/** The promised doors, each with its page. */
export const doors = [
  {
    door: "engine/src/index.ts",
    page: "docs/reference/api.md",
    title: "The authors' interface",
    about: `Exports of \`@headway/engine\`. [\`@headway/engine/operate\`](api-operate.md) is the operators' interface,
[\`@headway/engine/testing\`](api-testing.md) the interface for tests. \`@headway/engine/internal\` belongs to Headway's own packages and promises nothing. Each example compiles.`,
  },
  {
    door: "engine/src/operate.ts",
    page: "docs/reference/api-operate.md",
    title: "The operators' interface",
    about: `Exports of \`@headway/engine/operate\`: everything that the [commands](commands.md) do, for programs. Each example compiles.

${groupsTable()}`,
  },
  {
    door: "engine/src/testing.ts",
    page: "docs/reference/api-testing.md",
    title: "The interface for tests",
    about:
      "Exports of `@headway/engine/testing` (see [test a stage](../guides/test-a-stage.md) and [drill](../guides/drill.md)). Each example compiles.",
  },
] as const;

/** Verbs by group, with their names in HTTP. */
function groupsTable(): string {
  const rows = Object.entries(verbGroups).map(([group, names]) => {
    const members = Object.entries(names).map(([name, verb]) => `\`${name}\` (${verb})`);
    return `| \`operator.${group}\` | ${members.join(", ")} |`;
  });
  return ["| group | verbs, with their names in HTTP |", "|---|---|", ...rows].join("\n");
}

/** The page of a door. */
export function apiPage(
  { door, title, about }: (typeof doors)[number],
  madeBy: (from: string) => string,
): string {
  const all = exportsOf(door);
  const values = all.filter(({ kind }) => kind !== "type");
  const types = all.filter(({ kind }) => kind === "type");
  return `# ${title}

${madeBy(door)}

${about}

${values.map(valueSection).join("\n\n")}

## Types

${types.map(typeSection).join("\n\n")}
`;
}

const fence = (code: string, info: string): string => `\`\`\`${info}\n${code}\n\`\`\``;

const valueSection = ({ name, about, signature, example }: Exported): string =>
  [`## ${name}`, about, signature && fence(signature, "typescript"), example && fence(example, "ts")]
    .filter(Boolean)
    .join("\n\n");

function typeSection({ name, about, signature, members }: Exported): string {
  const rows = members.map(
    (one) => `| \`${cell(one.type)}\` | ${cell(one.byDefault ?? "")} | ${cell(one.about)} |`,
  );
  const table =
    rows.length > 0 ? ["| member | default | what it is |", "|---|---|---|", ...rows].join("\n") : null;
  return [`### ${name}`, about, signature && fence(signature, "typescript"), table]
    .filter(Boolean)
    .join("\n\n");
}
