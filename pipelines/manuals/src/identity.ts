import { createHash } from "node:crypto";

/** The id of a manual, from the name of its file. */
export function manualId(key: string): string {
  const slug = key
    .replace(/\.pdf$/i, "")
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replaceAll(/^[-.]+|[-.]{1,200}$/g, "")
    .slice(0, 80);
  return slug === "" ? `manual-${digestOf(key).slice(0, 8)}` : slug;
}

/** Sorts as numbers do. */
export const pageId = (manual: string, number: number): string =>
  `${manual}/${String(number).padStart(5, "0")}`;

export const digestOf = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("hex");

/** An excerpt's id comes from words and place; repeated words on a page are counted. */
export const excerptId = (manual: string, page: number, text: string, ordinal: number): string =>
  `${pageId(manual, page)}#${digestOf(text).slice(0, 16)}${ordinal === 0 ? "" : `~${ordinal}`}`;
