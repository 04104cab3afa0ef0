import { collection } from "@headway/engine";
import { z } from "zod";

/** A list that nobody changes. */
const many = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();

/**
 * What the consensus pipeline knows, in the order in which it comes to be:
 *
 *   archives → mails → readings → messages, headers → threads → positions, assessments → summaries
 *                                    └──► chunks → vectors
 */

/** A file with mail, as it was read; its bytes are in the blob store. */
export const archives = collection(
  "archives",
  z.object({
    list: z.string(),
    /** Where it was found, for people: a path or address, and the entry inside a compressed file. */
    place: z.string(),
    /** SHA-256 of its unpacked bytes. */
    blob: z.string(),
    size: z.number(),
    /** What the web server said about it, to ask only for what is new. */
    http: z.object({ etag: z.string().nullable(), lastModified: z.string().nullable() }).optional(),
  }),
);

/** The line that separates mails in an archive, and is the last resort for a date. */
const envelope = z.object({ sender: z.string().nullable(), date: z.string().nullable() });

/** One mail as it lies in an archive, untouched. */
export const mails = collection(
  "mails",
  z.object({
    list: z.string(),
    archive: z.string(),
    /** Where it begins in the archive, in bytes. */
    offset: z.number(),
    size: z.number(),
    envelope,
    /** Its bytes, one character each; a NUL, which a database cannot hold, is U+0100. */
    raw: z.string(),
    /** Only its beginning is here, because it is larger than a mail may be. */
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
/** A stretch of `text` that is not in `clean`, and what it was. */
export const removal = z.object({ start: z.number(), end: z.number(), kind: z.string() });

const content = {
  list: z.string(),
  /** Without angle brackets; made from the content where the mail has none. */
  messageId: z.string(),
  subject: z.string(),
  from: person,
  /** ISO 8601, in UTC; null when neither headers nor archive tell it. */
  date: z.string().nullable(),
  inReplyTo: z.string().nullable(),
  references: many(z.string()),
  listId: z.string().nullable(),
  /** All of its text. */
  text: z.string(),
  /** What its author wrote: without quotes, signatures and footers. */
  clean: z.string(),
  removed: many(removal),
  attachments: many(attachment),
  /** What was odd about it, e.g. `date.missing`. */
  flags: many(z.string()),
};

/** What a mail says. */
export const readings = collection(
  "readings",
  z.object({ ...content, mail: z.string(), archive: z.string() }),
);

/** One message of a list, however often it was delivered. */
export const messages = collection(
  "messages",
  z.object({
    ...content,
    occurrences: many(z.object({ archive: z.string(), mail: z.string() })),
  }),
);

/** What threading needs of a message, so that it never has to load bodies. */
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
    /** Changes when the message's words change, so that what follows from its thread is made anew. */
    digest: z.string(),
  }),
);

/** A conversation. */
export const threads = collection(
  "threads",
  z.object({
    list: z.string(),
    subject: z.string(),
    /** In tree order. */
    messages: many(z.object({ message: z.string(), parent: z.string().nullable(), digest: z.string() })),
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
    /** Into `clean` of the message. */
    start: z.number(),
    end: z.number(),
    tokens: z.number(),
    text: z.string(),
  }),
);

/** The meaning of a chunk: `[1,-5,…]`, whose direction counts and not its length. */
export const vectors = collection("vectors", z.object({ model: z.string(), vector: z.string() }));

/** Exact words of a message: `clean.slice(start, end) === quote`. */
const quoted = { message: z.string(), start: z.number(), end: z.number(), quote: z.string() };

/** Where a person stands in a thread, and since which words. */
export const positions = collection(
  "positions",
  z.object({
    list: z.string(),
    thread: z.string(),
    person,
    stance: z.enum(["support", "object", "neutral", "question"]),
    ...quoted,
    at: z.string().nullable(),
    /** Which rule saw it, in words. */
    because: z.string(),
    /** The person's later position, by its id; null for the one that stands. */
    supersededBy: z.string().nullable(),
  }),
);

/** What a thread came to. */
export const assessments = collection(
  "assessments",
  z.object({
    list: z.string(),
    subject: z.string(),
    /** Of the thread as it was weighed: changes with each of its messages. */
    digest: z.string(),
    level: z.enum(["strong", "rough", "contested", "none", "undecided"]),
    confidence: z.number(),
    reasons: many(z.string()),
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
    tally: z.object({ for: z.number(), against: z.number(), abstain: z.number() }).nullable(),
    /** The words that matter most, for whoever writes the summary. */
    salient: many(z.object(quoted)),
  }),
);

/** What was said in a thread; each sentence with the words that show it. */
export const summaries = collection(
  "summaries",
  z.object({
    list: z.string(),
    model: z.string(),
    sentences: many(z.object({ text: z.string(), citations: many(z.object(quoted)) })),
    /** How many sentences of the model were dropped because no message supports them. */
    dropped: z.number(),
  }),
);
