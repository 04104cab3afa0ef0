import { normaliseSubject, type Subject } from "./subject.ts";

/** The header fields needed for threading. Message-IDs are without angle brackets. */
export interface Header {
  readonly id: string;
  readonly messageId: string;
  readonly inReplyTo: string | null;
  readonly references: readonly string[];
  readonly subject: string;
  readonly date: string | null;
}

/** A message with its node: its rank by date, then id. */
export interface Message {
  readonly node: number;
  readonly header: Header;
  /** Milliseconds; Infinity when unknown. */
  readonly at: number;
  readonly subject: Subject;
}

export function orderMessages(headers: readonly Header[]): readonly Message[] {
  const unique = new Map<string, Header>();
  for (const header of headers) {
    const known = unique.get(header.id);
    // Two versions of one document cannot both count, and their order must not matter.
    if (known === undefined || JSON.stringify(header) < JSON.stringify(known)) unique.set(header.id, header);
  }
  return [...unique.values()]
    .map((header) => ({ header, at: momentOf(header.date), subject: normaliseSubject(header.subject) }))
    .sort((a, b) => (a.at === b.at ? compare(a.header.id, b.header.id) : a.at - b.at))
    .map((message, node) => ({ ...message, node }));
}

/** Only moments with the same meaning on every machine, so not a date without a zone. */
function momentOf(date: string | null): number {
  const isMoment = date !== null && /^[+-]?\d{4,6}-\d\d-\d\dT[\d:.]{5,20}(?:Z|[+-]\d\d:?\d\d)$/.test(date);
  const at = isMoment ? Date.parse(date) : Number.NaN;
  return Number.isNaN(at) ? Number.POSITIVE_INFINITY : at;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
