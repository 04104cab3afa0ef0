import { createHash } from "node:crypto";
import { cleanLine, mayLink } from "./wording.ts";

/** Text as HTML text, also inside a quoted attribute. */
export function escapeHtml(text: string): string {
  return cleanLine(text).replace(/[&<>"'`]/g, (character) => entities[character] as string);
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

/** A web link, or only its words for any other target. */
export function htmlLink(label: string, href: string | null): string {
  const words = escapeHtml(label);
  if (!mayLink(href)) return words;
  return `<a href="${escapeHtml(href)}" rel="noopener noreferrer">${words}</a>`;
}

/** A self-contained page that may load nothing: no script, and only this style. */
export function htmlPage({ title, body }: { readonly title: string; readonly body: string }): string {
  const hash = createHash("sha256").update(style).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

const style = `
:root {
  color-scheme: light dark;
  --paper: #fbfaf8; --card: #ffffff; --ink: #1d2330; --soft: #5a6474; --line: #e2dfd8; --link: #1f5fbf;
  --strong: #1a7f4b; --rough: #2b7a8c; --contested: #b25a00; --against: #b3322c; --none: #8a8f99; --undecided: #6a6f7a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171d; --card: #1c2028; --ink: #e6e8ec; --soft: #9aa4b3; --line: #2f3540; --link: #82b1ff;
    --strong: #5fc78f; --rough: #6cc3d5; --contested: #f0a35c; --against: #f08a83; --none: #7d8592; --undecided: #a4abb8;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  overflow-wrap: break-word;
}
main { max-width: 52rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 .5rem; letter-spacing: -.01em; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 .75rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 0 0 .25rem; }
p { margin: .4rem 0; }
a { color: var(--link); text-decoration: none; }
a:hover, a:focus-visible { text-decoration: underline; }
ul, ol { padding-left: 1.2rem; margin: .4rem 0; }
.meta, .by { color: var(--soft); font-size: .9rem; }
time { white-space: nowrap; }
.jump {
  font-size: .8rem; padding: 0 .4em; border: 1px solid var(--line); border-radius: .8em; white-space: nowrap;
}
.card {
  background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
  padding: 1rem 1.25rem; margin: 1.25rem 0; border-left: .3rem solid var(--undecided);
}
.level { font-weight: 650; font-size: 1.1rem; }
.strong { border-left-color: var(--strong); } .strong .level { color: var(--strong); }
.rough { border-left-color: var(--rough); } .rough .level { color: var(--rough); }
.contested { border-left-color: var(--contested); } .contested .level { color: var(--contested); }
.none { border-left-color: var(--none); } .none .level { color: var(--none); }
.undecided .level { color: var(--undecided); }
meter { width: 7rem; height: .8rem; vertical-align: middle; }
.summary, .quotes { list-style: none; padding: 0; }
.summary > li, .quotes > li { margin: 0 0 1rem; }
blockquote {
  margin: .35rem 0 .35rem .1rem; padding: .1rem 0 .1rem .8rem; border-left: 2px solid var(--line); color: var(--soft);
}
blockquote q { color: var(--ink); }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .95rem; }
th { text-align: left; color: var(--soft); font-weight: 600; font-size: .85rem; }
th, td { padding: .5rem .6rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.stance, .vote { font-weight: 600; white-space: nowrap; }
td:first-child { min-width: 7rem; overflow-wrap: normal; word-break: keep-all; } q, code, .excerpt { overflow-wrap: anywhere; }
.support, .for { color: var(--strong); } .object, .against { color: var(--against); } .question { color: var(--contested); }
.earlier { color: var(--soft); font-size: .9rem; }
.tree { list-style: none; padding: 0; }
.tree li { padding: .35rem .5rem .35rem .8rem; border-left: 2px solid var(--line); border-radius: .2rem; }
.tree li:target { background: var(--card); border-left-color: var(--link); }
.tree .number { color: var(--soft); font-variant-numeric: tabular-nums; margin-right: .35rem; }
.tree .excerpt { color: var(--soft); font-size: .92rem; display: block; }
.depth-1 { margin-left: 1rem; } .depth-2 { margin-left: 2rem; }
.depth-3 { margin-left: 3rem; } .depth-4 { margin-left: 4rem; }
.depth-5 { margin-left: 5rem; } .depth-6 { margin-left: 6rem; }
.depth-7 { margin-left: 7rem; } .depth-8 { margin-left: 8rem; }
code { font-size: .85em; }
@media (max-width: 40rem) {
  main { padding: 1.5rem 1rem 3rem; }
  h1 { font-size: 1.4rem; }
  table, thead, tbody, tr, td { display: block; }
  thead { display: none; }
  tr { border-bottom: 1px solid var(--line); padding: .5rem 0; }
  td { border: 0; padding: .1rem 0; }
  .depth-1 { margin-left: .4rem; } .depth-2 { margin-left: .8rem; }
  .depth-3 { margin-left: 1.2rem; } .depth-4 { margin-left: 1.6rem; }
  .depth-5, .depth-6, .depth-7, .depth-8 { margin-left: 2rem; }
}
@media print {
  :root { --paper: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #bbb; --link: #000; }
  body { font-size: 11pt; }
  main { max-width: none; padding: 0; }
  h2, h3 { break-after: avoid; }
  .card, .summary > li, tr, .tree li { break-inside: avoid; }
}
`;
