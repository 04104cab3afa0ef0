import type { Database } from "@headway/engine";
import { type ListDigest, listDigest } from "../report/list-digest.ts";
import {
  indexPage,
  listPages,
  type SearchEntry,
  type SitePage,
  searchEntry,
  searchIndex,
  searchPage,
  threadPage,
} from "../report/site/pages.ts";
import { searchScript } from "../report/site/search-script.ts";
import { siteStyle } from "../report/site/style.ts";
import { threadReport } from "../report/thread-report.ts";
import { listThreads, readLists, readStory } from "./reading.ts";

export interface PublishOptions {
  /** The name of the site. */
  readonly site: string;
  /** Names of lists; all by default. */
  readonly lists?: readonly string[];
}

const pageThreads = 500;

/** All pages of a site, with a single thread in memory at a time. */
export async function* publishSite(db: Database, { site, lists }: PublishOptions): AsyncGenerator<SitePage> {
  const wanted = (await readLists(db)).filter(({ list }) => lists === undefined || lists.includes(list));
  const digests: ListDigest[] = [];
  const found: SearchEntry[] = [];
  for (const { list } of wanted) {
    const entries: Parameters<typeof listDigest>[0]["threads"][number][] = [];
    for await (const id of threadsOf(db, list)) {
      const story = await readStory(db, id);
      if (!story) continue;
      const report = threadReport(story);
      yield threadPage(site, report, story.messages);
      found.push(searchEntry(report, story.messages));
      const { thread, assessment, positions, summary } = story;
      entries.push({ thread, assessment, positions, summary });
    }
    const digest = listDigest({ list, threads: entries });
    digests.push(digest);
    yield* listPages(site, digest);
  }
  yield indexPage(site, digests);
  yield searchPage(site);
  yield searchIndex(found);
  yield { path: "search.js", content: searchScript };
  yield { path: "style.css", content: siteStyle };
}

async function* threadsOf(db: Database, list: string): AsyncGenerator<string> {
  for (let after: string | undefined; ; ) {
    const page = await listThreads(db, {
      list,
      limit: pageThreads,
      order: "newest",
      ...(after !== undefined && { after }),
    });
    for (const { id } of page) yield id;
    after = page.at(-1)?.id;
    if (page.length < pageThreads) return;
  }
}
