import { permanent } from "@headway/engine";
import { fetchUrl } from "../fetch.ts";
import { defaultFetchLimits } from "../fetch-limits.ts";
import { findArchiveLinks, findLinks } from "../index-page.ts";
import { IngestRefusal } from "../refusal.ts";
import {
  addCounts,
  nothing,
  type Reading,
  type ReadResult,
  type ReadSource,
  resultOf,
  withSecret,
} from "./reading.ts";

/** Newest months, which still grow: asked about in every run. */
const growingMonths = 2;

/**
 * Reads an archive by its months: months that have ended and were read are not asked about again, so a list of twenty
 * years costs three requests a run.
 */
export const readMonths: ReadSource = async (reading) => {
  const { spec, secret, cursor, feeder, options } = reading;
  const months = await monthsOf(reading);
  if (months.length === 0)
    throw permanent("url.no-archives", `${spec.place} has no links to months of an archive.`);
  const done = new Set(Array.isArray(cursor.months) ? (cursor.months as string[]) : []);
  const growing = new Set(months.slice(-growingMonths).map(({ month }) => month));
  const wanted = months.filter(({ month }) => growing.has(month) || !done.has(month));
  let sum: ReadResult = nothing;
  for (const { month, url } of wanted) {
    options.signal.throwIfAborted();
    const read = resultOf(await feeder.places([withSecret(url.href, secret)], options));
    sum = add(sum, read);
    if (growing.has(month)) continue;
    done.add(month);
    await reading.keep({ months: [...done] });
  }
  return sum;
};

const add = (a: ReadResult, b: ReadResult): ReadResult => ({
  ...addCounts(a, b),
  refused: a.refused + b.refused,
  damaged: a.damaged + b.damaged,
  more: a.more || b.more,
  notes: [...a.notes, ...b.notes],
});

interface Month {
  /** `2026-01`, so that months sort by time. */
  readonly month: string;
  readonly url: URL;
}

async function monthsOf(reading: Reading): Promise<Month[]> {
  const { spec } = reading;
  const page = new URL(spec.place.endsWith("/") ? spec.place : `${spec.place}/`);
  const html = await readPage(page, reading);
  const found = spec.kind === "hyperkitty" ? hyperkittyMonths(html, page) : pipermailMonths(html, page);
  return found.sort((a, b) => (a.month < b.month ? -1 : a.month > b.month ? 1 : 0));
}

async function readPage(page: URL, { secret, options }: Reading): Promise<string> {
  const { allowPrivate, signal } = options;
  try {
    const fetched = await fetchUrl(withSecret(page.href, secret), {
      accept: "text/html",
      allowPrivate,
      signal,
    });
    if (fetched.kind === "unchanged") return "";
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of fetched.body) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > defaultFetchLimits.pageBytesMax) break;
    }
    return Buffer.concat(pieces).toString("utf8");
  } catch (error) {
    if (!(error instanceof IngestRefusal)) throw error;
    const { place, code, message: because, retryAfterMs } = error;
    const refused = [{ place, code, because, retryAfterMs }];
    resultOf({ new: 0, unchanged: 0, bytes: 0, skipped: [], refused });
    throw error;
  }
}

const monthNames =
  "january february march april may june july august september october november december".split(" ");

/** `2026-January.txt.gz` below the page. */
export function pipermailMonths(html: string, page: URL): Month[] {
  const linkEnding = /\/\d{4}-[A-Za-z]+\.txt(?:\.gz)?$/;
  return findArchiveLinks(html, page, { linksMax: defaultFetchLimits.linksMax, linkEnding }).flatMap(
    (url) => {
      const [, year, name = ""] = /(\d{4})-([A-Za-z]+)\.txt(?:\.gz)?$/.exec(url.pathname) ?? [];
      const at = monthNames.indexOf(name.toLowerCase());
      return year === undefined || at < 0
        ? []
        : [{ month: `${year}-${String(at + 1).padStart(2, "0")}`, url }];
    },
  );
}

/** The overview of a list links to its months (`…/2026/1/`); each is exported as an mbox. */
export function hyperkittyMonths(html: string, page: URL): Month[] {
  const address = decodeURIComponent(page.pathname.split("/").findLast((part) => part !== "") ?? "");
  const months = new Map<string, Month>();
  for (const link of findLinks(html, page, defaultFetchLimits.linksMax)) {
    const match = /^(\d{4})\/(\d{1,2})\/?$/.exec(link.pathname.slice(page.pathname.length));
    if (link.origin !== page.origin || !link.pathname.startsWith(page.pathname) || !match) continue;
    const [year, number] = [Number(match[1]), Number(match[2])];
    if (number < 1 || number > 12) continue;
    const day = (months: number) => new Date(Date.UTC(year, months, 1)).toISOString().slice(0, 10);
    const month = day(number - 1).slice(0, 7);
    const url = new URL(`export/${encodeURIComponent(`${address}-${month}`)}.mbox.gz`, page);
    url.search = new URLSearchParams({ start: day(number - 1), end: day(number) }).toString();
    months.set(month, { month, url });
  }
  return [...months.values()];
}
