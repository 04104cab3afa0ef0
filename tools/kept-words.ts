import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { filesMatching, isTest, type Node, parse, repo, walk } from "./source.ts";

/** Rules that read mail: their words say how somebody stands and how a mail is built, not what it is about. */
const rules =
  /^pipelines\/consensus\/src\/(?:weigh|clean|question)\/[\w-]+\.ts$|^pipelines\/consensus\/src\/threads\/subject\.ts$|^text\/src\/(?:sentences|blocks)\.ts$/;
const target = "pipelines/consensus/src/anonymize/lexicon-words.ts";

/** Words and beginnings of words in the rules as they are, sorted. */
export function readLexicon(): { readonly words: readonly string[]; readonly stems: readonly string[] } {
  const words = new Set<string>();
  const stems = new Set<string>();
  for (const file of filesMatching(rules)) {
    if (isTest(file.path)) continue;
    walk(parse(file), (node, [parent]) => {
      for (const text of textsOf(node, parent)) {
        for (const word of wordsOf(text)) words.add(word);
        for (const [, stem = ""] of text.matchAll(/(\p{L}{4,})\\{1,2}w[*+{]/gu))
          stems.add(stem.toLowerCase());
      }
    });
  }
  return { words: [...words].sort(), stems: [...stems].sort() };
}

/** The page of words that anonymous copies keep. */
function page(): string {
  const { words, stems } = readLexicon();
  return [
    "/** Words of the rules that read mail, and beginnings of such words; npm run kept-words writes them down again. */",
    listOf("lexiconWords", words),
    listOf("lexiconStems", stems),
  ].join("\n");
}

function listOf(name: string, words: readonly string[]): string {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < 104) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  const rows = lines.map((line) => `  "${line}",`).join("\n");
  return `export const ${name}: readonly string[] = [\n${rows}\n].flatMap((line) => line.split(" "));\n`;
}

function textsOf(node: Node, parent: Node | undefined): readonly string[] {
  if (parent?.type === "ImportDeclaration" || parent?.type === "ExportNamedDeclaration") return [];
  if (node.type === "TemplateElement") return [node.value.raw];
  if (node.type !== "Literal") return [];
  return node.regex ? [node.regex.pattern] : typeof node.value === "string" ? [node.value] : [];
}

/** Spellings with an optional letter are written out; what a pattern says by signs is no word. */
function wordsOf(text: string): string[] {
  const plain = text
    .replace(
      /\\{1,2}[pP]\{[^}]*\}|\\{1,2}u\{?[0-9a-f]{1,6}\}?|\\{1,2}[bBwWsSdDntrfvk]|\[[^\]]{0,80}\]/gi,
      " ",
    )
    .replace(/\(\?(?:<[a-z]+>|[:=!]|<[=!])/gi, " ");
  const found: string[] = [];
  for (const [piece] of plain.matchAll(/[\p{L}\p{M}]+(?:\?[\p{L}\p{M}]*)*/gu)) {
    found.push(piece.replaceAll("?", ""), piece.replace(/[\p{L}\p{M}]\?/gu, ""));
  }
  // `object(?:s|ed)`
  for (const [, stem = "", ends = ""] of text.matchAll(/([\p{L}]+)\(\?:([\p{L}|]+)\)/gu))
    for (const end of ends.split("|")) found.push(stem + end);
  return found.map((word) => word.normalize("NFC").toLowerCase()).filter((word) => word !== "");
}

if (process.argv[1]?.endsWith("kept-words.ts")) writeFileSync(join(repo, target), page());
