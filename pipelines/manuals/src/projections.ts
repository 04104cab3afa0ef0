import { projection } from "@headway/engine";
import { excerpts, excerptVectors } from "./collections.ts";

const crumbs = "left(body ->> 'crumbs', 2000)";
const text = "left(body ->> 'text', 20000)";
const language = "('pg_catalog.' || (body ->> 'language'))::regconfig";

/** What people search in: breadcrumb and text, stemmed in the language of the page, and as written for identifiers. */
export const manualExcerpts = projection("manual_excerpts", {
  of: excerpts,
  columns: {
    manual: "text",
    page: "int4",
    heads: { type: "tsvector", value: `to_tsvector(${language}, ${crumbs})` },
    words: {
      type: "tsvector",
      value: `to_tsvector(${language}, ${crumbs} || ' ' || ${text}) || to_tsvector('simple', ${text})`,
    },
  },
  indexes: { words: { using: "gin", on: ["words"] }, manual: ["manual"] },
});

/** Meanings in a comparable form, where the server has pgvector. */
export const manualVectors = projection("manual_vectors", {
  of: excerptVectors,
  columns: {
    manual: "text",
    model: "text",
    vector: { type: "vector", value: "(body ->> 'vector')::vector" },
  },
  extension: "vector",
});
