/** A message of a thread, as far as a summary needs it. */
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

/** What to call the author of a post: one short line, whatever the header held. */
export function nameOf(from: Post["from"]): string {
  for (const name of [from.name, from.address.split("@", 1)[0] ?? ""]) {
    const shown = oneLine(name.slice(0, 4 * nameLengthMax))
      // an address in place of a name, as it is or as archives hide it
      .replace(/(?:@| at )[\w.-]+$/, "")
      .replace(/["“”<>]/g, "")
      .trim();
    if (/[\p{L}\p{N}]/u.test(shown)) return cutAtWord(shown, nameLengthMax);
  }
  return "Somebody";
}

/** Wrapped lines as one, without what cannot be seen. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ").replace(unseen, "").trim();

/** At most so long, and not in the middle of a word or a character where that can be helped. */
export function cutAtWord(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const head = text.slice(0, lengthMax);
  const space = Math.max(head.lastIndexOf(" "), head.lastIndexOf("\n"));
  const cut = space > lengthMax / 2 ? head.slice(0, space) : head;
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1).trimEnd() : cut.trimEnd();
}
