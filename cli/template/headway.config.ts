import { defineApp } from "@headway/engine";
import { digests, letters, post } from "./pipeline.ts";

export default defineApp({
  pipelines: [post],
  // HEADWAY_DATABASE_URL or --database names a PostgreSQL instead.
  database: { folder: ".headway" },
  drill: {
    documents: [
      letters.document("a", { text: "Dear Ann,\n\nall is well." }),
      letters.document("b", { text: "Hi" }),
    ],
  },
  commands: [
    {
      name: "digests",
      description: "Print the digest of every letter",
      async run({ engine, write }) {
        for await (const { id, paragraphs, words } of engine.documents(digests))
          write(`${id}: ${words} words in ${paragraphs} paragraphs\n`);
      },
    },
  ],
});
