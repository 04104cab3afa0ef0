export interface FeedItem {
  /** Stable over every writing of the feed. */
  readonly id: string;
  readonly subject: string;
  readonly html: string;
  readonly at: string;
}

export interface FeedInfo {
  readonly name: string;
  readonly site: string | null;
}

/** XML 1.0 has no room for control characters, escaped or not. */
const xml = (words: string): string =>
  words
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** A feed has no use for the page around a report. */
function bodyOf(html: string): string {
  const [from, to] = [html.indexOf("<main>"), html.lastIndexOf("</main>")];
  return from < 0 || to < from ? html : html.slice(from + "<main>".length, to).trim();
}

const idOf = (id: string): string => `urn:headway:report:${encodeURIComponent(id)}`;

export function atomFeed({ name, site }: FeedInfo, items: readonly FeedItem[]): string {
  const updated = items[0]?.at ?? new Date(0).toISOString();
  const link = site === null ? "" : `\n  <link href="${xml(site)}"/>`;
  const entries = items.map(
    ({ id, subject, html, at }) => `  <entry>
    <id>${xml(idOf(id))}</id>
    <title>${xml(subject)}</title>
    <updated>${xml(at)}</updated>
    <content type="html">${xml(bodyOf(html))}</content>
  </entry>`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${xml(idOf(name))}</id>
  <title>${xml(name)}</title>
  <updated>${xml(updated)}</updated>
  <author><name>Headway</name></author>${link}
${entries.join("\n")}
</feed>
`;
}

export function rssFeed({ name, site }: FeedInfo, items: readonly FeedItem[]): string {
  const entries = items.map(
    ({ id, subject, html, at }) => `  <item>
    <guid isPermaLink="false">${xml(idOf(id))}</guid>
    <title>${xml(subject)}</title>
    <pubDate>${xml(new Date(at).toUTCString())}</pubDate>
    <description>${xml(bodyOf(html))}</description>
  </item>`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0">
<channel>
  <title>${xml(name)}</title>
  <link>${xml(site ?? "http://localhost/")}</link>
  <description>${xml(`Reports of ${name}`)}</description>
${entries.join("\n")}
</channel>
</rss>
`;
}
