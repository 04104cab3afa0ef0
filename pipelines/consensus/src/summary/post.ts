/** The fields of a message needed for a summary. */
export interface Post {
  readonly id: string;
  readonly parent: string | null;
  readonly from: { readonly name: string; readonly address: string };
  readonly date: string | null;
  readonly subject: string;
  readonly clean: string;
}

/** Exact words of a message: `clean.slice(start, end) === quote`. */
export interface Citation {
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly quote: string;
}

export interface SummarySentence {
  readonly text: string;
  readonly citations: readonly Citation[];
}

const nameLengthMax = 80;
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** The name of a post's author: one short line, for any header. */
export function nameOf(from: Post["from"]): string {
  for (const name of [from.name, from.address.split("@", 1)[0] ?? ""]) {
    const shown = oneLine(name.slice(0, 4 * nameLengthMax))
      // an address in place of a name, plain or hidden by an archive
      .replace(/(?:@| at )[\w.-]+$/, "")
      .replace(/["“”<>]/g, "")
      .trim();
    if (/[\p{L}\p{N}]/u.test(shown)) return cutAtWord(shown, nameLengthMax);
  }
  return "Somebody";
}

/** Wrapped lines as one, without invisible characters. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ").replace(unseen, "").trim();

/** At most `lengthMax`, cut between words or at least between characters if possible. */
export function cutAtWord(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const head = text.slice(0, lengthMax);
  const space = Math.max(head.lastIndexOf(" "), head.lastIndexOf("\n"));
  const cut = space > lengthMax / 2 ? head.slice(0, space) : head;
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1).trimEnd() : cut.trimEnd();
}
