import { escapeHtml as text } from "../html-page.ts";

export interface Framed {
  readonly site: string;
  readonly title: string;
  /** Way back to the first page: "" there, "../" in a folder below. */
  readonly home: string;
  /** Names and addresses of the pages above. */
  readonly crumbs: readonly (readonly [string, string])[];
  readonly body: string;
  /** Scripts of the page; none by default. */
  readonly scripts?: readonly string[];
}

/** A page of the site: loads the style sheet of the site, and nothing from elsewhere. */
export function framePage({ site, title, home, crumbs, body, scripts = [] }: Framed): string {
  const script = scripts.length > 0 ? " script-src 'self';" : "";
  const policy = `default-src 'none'; style-src 'self';${script} base-uri 'none'; form-action 'self'`;
  const above = crumbs.map(([name, href]) => `<a href="${text(href)}">${text(name)}</a>`).join(" › ");
  // The first page and the search page have a large search field already.
  const search = crumbs.length === 0 || scripts.length > 0 ? "" : searchForm(home);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${text(title)}</title>
<link rel="stylesheet" href="${home}style.css">
</head>
<body>
<header class="bar"><div><a class="home" href="${home}index.html">${text(site)}</a>${search}</div></header>
<main>
${above === "" ? "" : `<nav class="crumbs" aria-label="Where you are">${above}</nav>\n`}${body}
</main>
<footer>Made by Headway. Quotes are the exact words of their authors.</footer>
${scripts.map((name) => `<script src="${home}${name}"></script>\n`).join("")}</body>
</html>
`;
}

const searchForm = (home: string): string =>
  `<form action="${home}search.html" method="get" role="search"><input type="search" name="q" placeholder="Search" aria-label="Search"></form>`;
