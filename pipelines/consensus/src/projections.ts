import { projection } from "@headway/engine";
import { chunks, vectors } from "./collections.ts";

/** What people search in by words: `headway_read.passages`. */
export const passages = projection("passages", {
  of: chunks,
  columns: {
    list: "text",
    message: "text",
    // Name and address, in small letters.
    author: {
      type: "text",
      value: "lower((body -> 'from' ->> 'name') || ' ' || (body -> 'from' ->> 'address'))",
    },
    at: { type: "timestamptz", value: "(body ->> 'date')::timestamptz" },
    words: { type: "tsvector", value: "headway.passage_words(body ->> 'subject', body ->> 'text')" },
  },
  indexes: { words: { using: "gin", on: ["words"] } },
});

/**
 * Vectors in a comparable form, where the server has pgvector. Vectors of two models have two lengths, so the column has none; only
 * vectors of one model are ever compared.
 */
export const passageVectors = projection("passage_vectors", {
  of: vectors,
  columns: { model: "text", vector: { type: "vector", value: "(body ->> 'vector')::vector" } },
  extension: "vector",
});
