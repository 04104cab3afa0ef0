import { collection } from "@headway/engine";
import { z } from "zod";

/** The documents of a manual are read together. */
const byManual = { indexes: { byManual: ["manual"] } } as const;

const many = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();

/**
 * What the manuals pipeline knows, in the order in which it comes to be:
 *
 *   manuals → sheets → pages, prints → plans → excerpts
 *                                        ├──► codes, parts, tables, pictures, page-links
 *                                        └──► findings
 */

/** Left, top, right, bottom in points, from the top left of the page as it is shown. */
export const box = z.tuple([z.number(), z.number(), z.number(), z.number()]).readonly();

/** A PDF as it was read; its bytes are in the blob store. */
export const manuals = collection(
  "manuals",
  z.object({
    /** The name of its file. */
    name: z.string(),
    place: z.string(),
    blob: z.string(),
    size: z.number(),
    http: z.object({ etag: z.string().nullable(), lastModified: z.string().nullable() }).optional(),
  }),
);

const bookmark = z.object({ title: z.string(), depth: z.number() });

/** A page that is owed a reading. */
export const sheets = collection(
  "sheets",
  z.object({
    manual: z.string(),
    blob: z.string(),
    /** From 1, as the file counts. */
    number: z.number(),
    pages: z.number(),
    /** As printed: `iv`, `7-3`; empty when the file does not say. */
    label: z.string(),
    title: z.string(),
    marks: many(bookmark),
  }),
);

/** Text, box, height of the letters, bold, first and last character in the order in which the PDF was written. */
const word = z
  .tuple([
    z.string(),
    z.number(),
    z.number(),
    z.number(),
    z.number(),
    z.number(),
    z.number(),
    z.number(),
    z.number(),
  ])
  .readonly();
const line = z.tuple([z.number(), z.number(), z.number()]).readonly();
const standing = z.enum(["good", "thin", "partly-picture", "garbled", "blank"]);

/** Everything on one page, words in reading order. */
export const pages = collection(
  "pages",
  z.object({
    manual: z.string(),
    number: z.number(),
    label: z.string(),
    width: z.number(),
    height: z.number(),
    standing,
    /** A limit was reached: not everything of the page is here. */
    cut: z.boolean(),
    words: many(word),
    /** Paragraphs and headings: words from `from` up to and without `to`. */
    blocks: many(z.object({ from: z.number(), to: z.number(), size: z.number(), bold: z.boolean() })),
    horizontal: many(line),
    vertical: many(line),
    pictures: many(
      z.object({ box, pixels: z.tuple([z.number(), z.number()]).readonly(), sha256: z.string() }),
    ),
    links: many(z.object({ box, uri: z.string().nullable(), page: z.number().nullable() })),
  }),
  byManual,
);

const tableEdge = z.object({
  columns: z.number(),
  left: z.number(),
  right: z.number(),
  head: z.string(),
});

/** Facts of a page for the other pages of the manual. */
export const prints = collection(
  "prints",
  z.object({
    manual: z.string(),
    number: z.number(),
    pages: z.number(),
    label: z.string(),
    title: z.string(),
    digest: z.string(),
    standing,
    cut: z.boolean(),
    language: z.string(),
    /** Height of letters and how many have it. */
    sizes: many(z.tuple([z.number(), z.number()]).readonly()),
    /** Short blocks: any may be a running head or a heading. */
    shorts: many(
      z.object({ block: z.number(), text: z.string(), y: z.number(), size: z.number(), bold: z.boolean() }),
    ),
    /** Most lines end in dots and a number. */
    contents: z.boolean(),
    marks: many(bookmark),
    pictures: z.number(),
    /** Hashes of the pictures: a picture on many pages is decoration. */
    hashes: many(z.string()),
    /** Captions of tables beside a picture. */
    captions: many(z.string()),
    /** The roles of columns that are open at the end of the page, and where they begin; null: none. */
    open: z.object({ roles: many(z.string()), starts: many(z.number()) }).nullable(),
    /** The page has a head row of its own near its top. */
    headed: z.boolean(),
    /** A heading or prose on the page ends a table that is carried over. */
    closes: z.boolean(),
    /** How many tables, and their outlines at the top and the foot of the page. */
    tables: z.object({ count: z.number(), top: tableEdge.nullable(), foot: tableEdge.nullable() }),
  }),
);

/** A heading, and those it stands under, from the outside in and itself last. */
const heading = z.object({ block: z.number(), trail: many(z.string()) });

/** The role of a page within the manual; changes with the page or with its place. */
export const plans = collection(
  "plans",
  z.object({
    manual: z.string(),
    number: z.number(),
    pages: z.number(),
    label: z.string(),
    title: z.string(),
    digest: z.string(),
    standing,
    language: z.string(),
    contents: z.boolean(),
    cut: z.boolean(),
    captions: many(z.string()),
    /** Hashes of pictures that are decoration. */
    decoration: many(z.string()),
    /** Blocks that are running heads. */
    running: many(z.number()),
    headings: many(heading),
    /** Headings that are in force at the top of the page, from the outside in. */
    trail: many(z.string()),
    /** Columns of a trouble table that goes on from the page before. */
    carried: z.object({ roles: many(z.string()), starts: many(z.number()) }).nullable(),
    /** The digest of the next page when a table goes on there. */
    next: z.string().nullable(),
    /** The first table of the page is more of one that began before. */
    tableGoesOn: z.boolean(),
    /** Digests of the following pages with more of the last table. */
    tableNext: many(z.string()),
  }),
  byManual,
);

/** A passage of one page under one heading: what is searched, and quoted. */
export const excerpts = collection(
  "excerpts",
  z.object({
    manual: z.string(),
    title: z.string(),
    page: z.number(),
    label: z.string(),
    language: z.string(),
    /** `7 Service › 7.3 Error codes` */
    crumbs: z.string(),
    text: z.string(),
    /** Read from a picture of the page: words may be wrong. */
    recognised: z.boolean().optional(),
  }),
  byManual,
);

/** A page without trustworthy text: only its picture can be read. */
export const scans = collection(
  "scans",
  z.object({
    manual: z.string(),
    blob: z.string(),
    number: z.number(),
    label: z.string(),
    title: z.string(),
    standing,
    /** Of the page, in points. */
    width: z.number(),
  }),
);

/** Words read from the picture of a page: text, box in points and confidence from 0 to 100, line by line. */
export const recognitions = collection(
  "recognitions",
  z.object({
    manual: z.string(),
    number: z.number(),
    label: z.string(),
    reader: z.string(),
    confidence: z.number(),
    lines: many(
      many(z.tuple([z.string(), z.number(), z.number(), z.number(), z.number(), z.number()]).readonly()),
    ),
  }),
);

const told = z
  .object({ value: z.string(), witnesses: many(z.object({ page: z.number(), text: z.string() })) })
  .nullable();

/** Type, maker and models of a manual with their lines as witnesses; page 0 is the title of the file. Null: unknown. */
export const profiles = collection(
  "profiles",
  z.object({
    manual: z.string(),
    type: told,
    maker: told,
    models: many(told.unwrap()),
    language: z.string().nullable(),
    languages: many(z.string()),
    revision: told,
    date: told,
  }),
  byManual,
);

const evidence = {
  manual: z.string(),
  page: z.number(),
  label: z.string(),
  box,
  /** Words of the page as they stand there. */
  quote: z.string(),
  /** What shows that this is an entry: a head row, or fields below a bold code. */
  witness: z.string(),
  reader: z.enum(["columns", "paragraphs", "lists", "cells"]),
};

/** A code or trouble with cause and remedy. */
export const codes = collection(
  "codes",
  z.object({
    ...evidence,
    /** Null: a trouble without a code. */
    code: z.string().nullable(),
    problem: z.string(),
    cause: z.string(),
    remedy: z.string(),
  }),
  byManual,
);

/** Codes of a page with the pages where they stand: zero is a result as well. */
export const harvests = collection(
  "harvests",
  z.object({ codes: many(z.object({ code: z.string().nullable(), page: z.number() })) }),
);

/** A line of a parts list. */
export const parts = collection(
  "parts",
  z.object({
    ...evidence,
    number: z.string(),
    position: z.string(),
    description: z.string(),
    quantity: z.string(),
  }),
  byManual,
);

/** A table, over one page or several; a spanning cell has `rows` or `columns` above 1. */
export const tables = collection(
  "tables",
  z.object({
    manual: z.string(),
    page: z.number(),
    label: z.string(),
    pages: many(z.number()),
    box,
    /** Drawn with lines, or told by gaps. */
    kind: z.enum(["ruled", "unruled"]),
    caption: z.string(),
    /** Headings it stands under. */
    crumbs: z.string(),
    rows: z.number(),
    columns: z.number(),
    cells: many(
      z.object({
        row: z.number(),
        column: z.number(),
        rows: z.number(),
        columns: z.number(),
        page: z.number(),
        box,
        text: z.string(),
      }),
    ),
  }),
  byManual,
);

/** A picture of a page; the bytes stay in the PDF and are cut out of the page on demand. */
export const pictures = collection(
  "pictures",
  z.object({
    manual: z.string(),
    page: z.number(),
    label: z.string(),
    box,
    pixels: z.tuple([z.number(), z.number()]).readonly(),
    /** SHA-256 of the data in the PDF; empty: not told. */
    sha256: z.string(),
    caption: z.string(),
    crumbs: z.string(),
  }),
  byManual,
);

/** A link of a page, and the words under it. */
export const pageLinks = collection(
  "page-links",
  z.object({
    manual: z.string(),
    page: z.number(),
    label: z.string(),
    box,
    uri: z.string().nullable(),
    target: z.number().nullable(),
    words: z.string(),
  }),
);

/** The meaning of an excerpt, by the model. */
export const excerptVectors = collection(
  "excerpt-vectors",
  z.object({ manual: z.string(), model: z.string(), vector: z.string() }),
);

/** What of a manual could not be read, or is not there although the manual promises it. */
export const findings = collection(
  "findings",
  z.object({ manual: z.string(), code: z.string(), pages: many(z.number()), says: z.string() }),
  byManual,
);
