import type { Post } from "../src/summary/post.ts";

/** A post with defaults for everything irrelevant to a test. */
export function aPost(
  clean: string,
  given: Partial<Omit<Post, "clean">> & { readonly by?: string } = {},
): Post {
  const { by = "Anna Lind", ...rest } = given;
  const address = `${by.toLowerCase().replace(/\W+/g, ".")}@example.org`;
  return {
    id: "m1",
    parent: null,
    from: { name: by, address },
    date: "2024-03-05T10:00:00Z",
    subject: "Retry limits",
    ...rest,
    clean,
  };
}

/** Words as directions: enough to detect common words of two sentences. */
export async function embedByWords(texts: readonly string[]): Promise<readonly Float32Array[]> {
  return texts.map((text) => {
    const vector = new Float32Array(256);
    for (const word of text.toLowerCase().match(/\p{L}{3,}/gu) ?? []) {
      let hash = 2166136261;
      for (const letter of word.slice(0, 6)) hash = Math.imul(hash ^ letter.charCodeAt(0), 16777619);
      vector[(hash >>> 8) % vector.length]! += (hash & 1) === 0 ? 1 : -1;
    }
    return vector;
  });
}

/** A small debate: a proposal, an objection, a fix, a question, thanks, and a decision. */
export const debate: readonly Post[] = [
  aPost(
    "Hi all,\n\nI propose that we limit retries to five attempts, because endless\nretries hide real faults from " +
      "the people who could repair them.\n\nThoughts?\n\nRegards,\nAnna",
    { id: "m1", by: "Anna Lind" },
  ),
  aPost(
    "I object to a fixed limit of five. Our nightly imports need more than\nfive attempts when the archive is down " +
      "for an hour.\n\n    retry(5);\n    fail();\n",
    { id: "m2", parent: "m1", by: "Boris Petrov", subject: "Re: Retry limits" },
  ),
  aPost("What about a limit in hours instead of a number of attempts?", {
    id: "m3",
    parent: "m2",
    by: "Chen Wei",
    subject: "Re: Retry limits",
  }),
  aPost(
    "Thanks!\n\nThat would work for me. I withdraw my objection if the limit is\na setting with a default of 24 hours.",
    {
      id: "m4",
      parent: "m3",
      by: "Boris Petrov",
      subject: "Re: Retry limits",
    },
  ),
  aPost("+1", { id: "m5", parent: "m4", by: "Dora Maar", subject: "Re: Retry limits" }),
  aPost(
    "We have consensus: the limit becomes a setting in hours, and the default\nis 24 hours. I do not support a second " +
      "setting for the number of\nattempts.",
    { id: "m6", parent: "m1", by: "Anna Lind", subject: "Re: Retry limits" },
  ),
];
