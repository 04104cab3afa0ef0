import { collection } from "@headway/engine";
import { z } from "zod";

/** A readonly array. */
const many = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();

/**
 * What the consensus pipeline knows, in the order in which it comes to be:
 *
 *   archives → mails → readings → messages, headers → threads → positions, assessments → summaries
 *                                    └──► chunks → vectors
 */

/** A file with mail; the bytes are in the blob store. */
export const archives = collection(
  "archives",
  z.object({
    list: z.string(),
    /** Location, for people: a path or address, and the entry inside a compressed file. */
    place: z.string(),
    /** SHA-256 of the unpacked bytes. */
    blob: z.string(),
    size: z.number(),
    /** The web server's validators, for conditional requests. */
    http: z.object({ etag: z.string().nullable(), lastModified: z.string().nullable() }).optional(),
  }),
);

/** The separator line of an archive, the last resort for a date. */
const envelope = z.object({ sender: z.string().nullable(), date: z.string().nullable() });

/** One original mail of an archive. */
export const mails = collection(
  "mails",
  z.object({
    list: z.string(),
    archive: z.string(),
    /** Start in the archive, in bytes. */
    offset: z.number(),
    size: z.number(),
    envelope,
    /** The bytes, one character each, with U+0100 for NUL, which a database cannot hold. */
    raw: z.string(),
    /** Only the beginning, because the mail exceeds the size limit. */
    cut: z.boolean(),
  }),
);

export const person = z.object({ name: z.string(), address: z.string() });
export const attachment = z.object({
  filename: z.string().nullable(),
  type: z.string(),
  size: z.number(),
  sha256: z.string(),
});
/** A stretch of `text` missing in `clean`, with its kind. */
export const removal = z.object({ start: z.number(), end: z.number(), kind: z.string() });

const content = {
  list: z.string(),
  /** Without angle brackets; made from the content if missing. */
  messageId: z.string(),
  subject: z.string(),
  from: person,
  /** ISO 8601, in UTC; null if neither headers nor archive have a date. */
  date: z.string().nullable(),
  inReplyTo: z.string().nullable(),
  references: many(z.string()),
  listId: z.string().nullable(),
  /** The whole text. */
  text: z.string(),
  /** The author's own words: without quotes, signatures and footers. */
  clean: z.string(),
  removed: many(removal),
  attachments: many(attachment),
  /** Oddities, e.g. `date.missing`. */
  flags: many(z.string()),
};

/** A parsed mail. */
export const readings = collection(
  "readings",
  z.object({ ...content, mail: z.string(), archive: z.string() }),
);

/** One message of a list, for any number of deliveries. */
export const messages = collection(
  "messages",
  z.object({
    ...content,
    occurrences: many(z.object({ archive: z.string(), mail: z.string() })),
  }),
);

/** The fields of a message needed for threading, without the body. */
export const headers = collection(
  "headers",
  z.object({
    list: z.string(),
    messageId: z.string(),
    subject: z.string(),
    from: person,
    date: z.string().nullable(),
    inReplyTo: z.string().nullable(),
    references: many(z.string()),
  }),
  { indexes: { byMessageId: ["messageId"] } },
);

/** A message in its thread. */
const place = z.object({ message: z.string(), parent: z.string().nullable() });

/** A conversation. */
export const threads = collection(
  "threads",
  z.object({
    list: z.string(),
    subject: z.string(),
    /** In tree order. */
    messages: many(place),
    roots: many(z.string()),
    participants: many(person),
    firstDate: z.string().nullable(),
    lastDate: z.string().nullable(),
  }),
);

/** A stretch of a message's clean text, small enough for the embedding model. */
export const chunks = collection(
  "chunks",
  z.object({
    list: z.string(),
    message: z.string(),
    from: person,
    date: z.string().nullable(),
    subject: z.string(),
    /** Offsets into `clean` of the message. */
    start: z.number(),
    end: z.number(),
    tokens: z.number(),
    text: z.string(),
  }),
);

/** The meaning of a chunk: `[1,-5,…]`; the direction counts, not the length. */
export const vectors = collection("vectors", z.object({ model: z.string(), vector: z.string() }));

/** Exact words of a message: `clean.slice(start, end) === quote`. */
const quoted = { message: z.string(), start: z.number(), end: z.number(), quote: z.string() };

/** A person's stance in a thread, with the words that show it. */
export const positions = collection(
  "positions",
  z.object({
    list: z.string(),
    thread: z.string(),
    person,
    stance: z.enum(["support", "object", "neutral", "question"]),
    ...quoted,
    at: z.string().nullable(),
    /** The matching rule, in words. */
    because: z.string(),
    /** Id of the person's later position; null for the current position. */
    supersededBy: z.string().nullable(),
    /** Number of the question, from 2 on; missing for the first. */
    question: z.number().optional(),
  }),
  { indexes: { byThread: ["thread"] } },
);

const tally = z.object({ for: z.number(), against: z.number(), abstain: z.number() });
const verdict = {
  level: z.enum(["strong", "rough", "contested", "none", "undecided"]),
  confidence: z.number(),
  reasons: many(z.string()),
};

/** The outcome of a thread. */
export const assessments = collection(
  "assessments",
  z.object({
    list: z.string(),
    subject: z.string(),
    /** The weighed messages, in the thread's order; missing if weighed by an older version. */
    messages: many(place).optional(),
    ...verdict,
    /** What the thread asks; null or missing: nothing to decide, or weighed by an older version. */
    question: z.object({ kind: z.string(), by: person, ...quoted }).nullish(),
    /** Questions of later messages, each with its own outcome; missing if weighed by an older version. */
    otherQuestions: many(
      z.object({ kind: z.string(), by: person, ...quoted, ...verdict, tally: tally.nullable() }),
    ).optional(),
    /** Agreement and disagreement about something else than the question. */
    asides: many(z.object({ by: person, with: person, agrees: z.boolean(), ...quoted })).optional(),
    /** Changes promised or reported by their authors; missing if weighed by an older version. */
    commitments: many(z.object({ by: person, ...quoted })).optional(),
    calls: many(z.object({ kind: z.string(), by: person, ...quoted })),
    decisions: many(z.object({ kind: z.string(), by: person, ...quoted })),
    votes: many(
      z.object({
        by: person,
        value: z.number(),
        binding: z.boolean().nullable(),
        counts: z.boolean(),
        ...quoted,
      }),
    ),
    tally: tally.nullable(),
    /** The most important words, for the summarizer. */
    salient: many(z.object(quoted)),
  }),
);

/** A thread's summary; each sentence with supporting quotes. */
export const summaries = collection(
  "summaries",
  z.object({
    list: z.string(),
    model: z.string(),
    sentences: many(z.object({ text: z.string(), citations: many(z.object(quoted)) })),
    /** Number of the model's sentences dropped for lack of support. */
    dropped: z.number(),
    /** Cost of the attempt that made the summary; missing: no language model was asked. */
    used: z.object({ calls: z.number(), tokensIn: z.number(), tokensOut: z.number() }).optional(),
    /** Offline, because this language model failed; `why` is one sentence. */
    fallback: z.object({ model: z.string(), code: z.string(), why: z.string() }).optional(),
  }),
);
