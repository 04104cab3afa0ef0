/** A fenced block; `line` is the first line of its code in the page, counted from 1. */
export interface Block {
  readonly info: string;
  readonly code: string;
  readonly line: number;
}

export interface Link {
  readonly target: string;
  readonly line: number;
}

export interface Page {
  readonly blocks: readonly Block[];
  readonly links: readonly Link[];
  /** Possible anchors: headings as named by GitHub, and ids written by hand. */
  readonly anchors: ReadonlySet<string>;
}

/** Reads as much Markdown as the tests of the documentation need. */
export function readPage(text: string): Page {
  const blocks: Block[] = [];
  const links: Link[] = [];
  const headings: string[] = [];
  const ids: string[] = [];
  let open: { fence: string; info: string; line: number; code: string[] } | null = null;
  for (const [index, line] of text.split("\n").entries()) {
    const [, fence, info] = /^\s*(`{3,}|~{3,})\s*(.*?)\s*$/.exec(line) ?? [];
    if (open) {
      if (fence?.startsWith(open.fence) && info === "") {
        blocks.push({ info: open.info, code: open.code.join("\n"), line: open.line });
        open = null;
      } else open.code.push(line);
    } else if (fence && !info?.includes("`")) {
      open = { fence, info: info ?? "", line: index + 2, code: [] };
    } else {
      const heading = /^#{1,6}\s+(.*?)\s*#*\s*$/.exec(line)?.[1];
      if (heading) headings.push(heading);
      ids.push(...[...line.matchAll(/<\w+\s[^>]*?\b(?:id|name)="([^"]+)"/g)].map(([, id]) => id as string));
      links.push(...linksIn(line).map((target) => ({ target, line: index + 1 })));
    }
  }
  return { blocks, links, anchors: new Set([...anchorsOf(headings), ...ids]) };
}

function linksIn(line: string): string[] {
  const prose = line.replace(/(`+).*?\1/g, "");
  const patterns = [
    /\]\(<?([^)\s>]+)[^)]*\)/g,
    /^\s*\[[^\]]+\]:\s+<?([^\s>]+)/g,
    /\b(?:href|src)="([^"]+)"/g,
  ];
  return patterns.flatMap((pattern) => [...prose.matchAll(pattern)].map(([, target]) => target as string));
}

function anchorsOf(headings: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return headings.map((heading) => {
    const plain = heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1");
    const slug = plain
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, "")
      .replaceAll(" ", "-");
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  });
}

/** `…` alone on a line stands for any lines, within a line for any text. */
export function outputPattern(text: string): RegExp {
  const lines = text.split("\n").map((line) => {
    if (line.trim() === "…") return "(?:.*\\n)*?.*";
    return `${line
      .trimEnd()
      .split("…")
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join(".*?")}[ \\t]*`;
  });
  return new RegExp(lines.join("\\n"));
}
