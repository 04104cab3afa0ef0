import { normaliseSubject } from "../threads/subject.ts";

/** Kinds of subjects over threads and lists. */
export const matterKinds = ["draft", "rfc", "issue", "series", "release"] as const;
export type MatterKind = (typeof matterKinds)[number];

/** A draft, RFC, issue, patch series or release, by the name common to all spellings. */
export interface Matter {
  readonly kind: MatterKind;
  readonly name: string;
  /** Letters in every spelling, for a first search. */
  readonly literal: string;
}

/** A mention with the named version; null: no version. */
export interface Mention {
  readonly version: string | null;
}

const nameLengthMax = 300;

/** Reads a name as typed by people; null: no such name. */
export function readMatter(kind: MatterKind, given: string): Matter | null {
  const name = given.trim().replace(/\s+/g, " ").slice(0, nameLengthMax);
  switch (kind) {
    case "draft": {
      const bare = name
        .toLowerCase()
        .replace(/\.(?:txt|html|xml|pdf)$/, "")
        .replace(/-\d\d$/, "");
      return /^draft-[a-z\d-]*[a-z\d]$/.test(bare) ? { kind, name: bare, literal: bare } : null;
    }
    case "rfc": {
      const [, number] = /^(?:rfc)?[\s-]?0*(\d{1,5})$/i.exec(name) ?? [];
      return number ? { kind, name: `RFC ${number}`, literal: number } : null;
    }
    case "issue": {
      const [, number] = /^(?:#|gh-)?(\d{1,9})$/i.exec(name) ?? [];
      if (number) return { kind, name: `#${number}`, literal: number };
      return /^[a-z][a-z\d]{1,20}-\d{1,9}$/i.test(name)
        ? { kind, name: name.toUpperCase(), literal: name }
        : null;
    }
    case "release":
      return /\d/.test(name) ? { kind, name, literal: name.split(" ").at(-1) ?? name } : null;
    case "series": {
      const { title } = readSeries(name);
      return title === "" ? null : { kind, name: title, literal: title };
    }
  }
}

/** Mentions in a message. A series is known by subject lines alone. */
export function findMentions(
  matter: Matter,
  { subject, clean }: { readonly subject: string; readonly clean: string },
): readonly Mention[] {
  if (matter.kind === "series") {
    const { title, version } = readSeries(subject);
    return title.toLowerCase() === matter.name.toLowerCase() ? [{ version }] : [];
  }
  const pattern = patternOf(matter);
  return [...`${subject}\n${clean}`.matchAll(pattern)].map((match) => ({ version: match[1] ?? null }));
}

function patternOf({ kind, name }: Matter): RegExp {
  const plain = escapePattern(name);
  switch (kind) {
    case "draft":
      return new RegExp(`(?<![\\w-])${plain}(?:-(\\d\\d))?(?!\\w|-[a-z])`, "gi");
    case "rfc":
      return new RegExp(`(?<!\\w)RFC[\\s-]?0{0,3}${name.slice(4)}(?!\\d)`, "gi");
    case "issue": {
      if (!name.startsWith("#")) return new RegExp(`(?<![\\w-])${plain}(?!\\d)`, "gi");
      const number = name.slice(1);
      const before =
        "(?<![\\w/#])#|(?<!\\w)(?:issue|bug|ticket|gh|pr|pull request)[ #:-]{0,3}|(?<![\\w-])(?:issues?|pull|bugs?)/(?:issue)?";
      return new RegExp(`(?:${before})${number}(?!\\d)`, "gi");
    }
    case "release":
      return new RegExp(`(?<![\\w.])v?${plain.replaceAll(" ", "[\\s-]{1,5}v?")}(?!\\w|\\.\\d|-\\d)`, "gi");
    case "series":
      return /(?!)/g;
  }
}

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** `Re: [PATCH bpf-next v2 1/3] docs: Add x` is version 2 of "docs: Add x". */
function readSeries(subject: string): { readonly title: string; readonly version: string } {
  let rest = normaliseSubject(subject).text;
  let version = "1";
  for (;;) {
    const [tag, inside = ""] = /^\[([^[\]]{0,80})\]\s*/.exec(rest) ?? [];
    if (tag === undefined) break;
    const [, numbered] = /\bv(\d{1,3})\b/i.exec(inside) ?? [];
    if (numbered) version = String(Number(numbered));
    rest = normaliseSubject(rest.slice(tag.length)).text;
  }
  return { title: rest.trim(), version };
}
