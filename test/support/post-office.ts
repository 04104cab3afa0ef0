import { z } from "zod";
import { notFoundYet, permanent, transient } from "../../engine/src/decide/fault.ts";
import { collection } from "../../engine/src/define/collection.ts";
import { pipeline } from "../../engine/src/define/pipeline.ts";
import { service } from "../../engine/src/define/service.ts";
import { groupStage, stage } from "../../engine/src/define/stage.ts";
import type { Channel } from "../../engine/src/dispatch/alert-channel.ts";
import { openOperator } from "../../engine/src/operate.ts";
import type { Database } from "../../engine/src/store/database.ts";
import { openTestEngine, virtualClock } from "../../engine/src/testing.ts";
import { emptyDatabase } from "./whole-database.ts";

/** A small pipeline to operate on: boxes hold letters, letters are stamped, a list's stamped letters are bundled. */
export const boxes = collection("boxes", z.object({ list: z.string(), letters: z.array(z.string()) }));
export const letters = collection("letters", z.object({ list: z.string(), text: z.string() }));
export const stamped = collection("stamped", z.object({ text: z.string() }));
export const bundles = collection("bundles", z.object({ size: z.number() }));

/** What the stamping machine does with each letter; tests change it while the engine runs. */
export interface Post {
  stamp(text: string): void;
}
const post = service("post").as<Post>();

export function makeLetters({ version = "1", quiet = "0s" as const, incomplete = "proceed" as const } = {}) {
  const opening = stage("opening", {
    reads: boxes,
    writes: [letters],
    announces: { done: "BoxOpened", failed: "OpeningFailed" },
    *run(box) {
      for (const text of box.letters) {
        if (text === "torn") throw permanent("box.torn", "The box is torn.");
        yield letters.document(`${box.id}-${text}`, { list: box.list, text });
      }
    },
  });
  const stamping = stage("stamping", {
    reads: letters,
    writes: [stamped],
    needs: [post],
    version,
    retry: { attempts: 3, unknown: { attempts: 1 } },
    announces: { failed: "LetterStampingFailed" },
    *run(letter, { post }) {
      post.stamp(letter.text);
      yield stamped.document(letter.id, { text: `${letter.text} v${version}` });
    },
  });
  const bundling = groupStage("bundling", {
    reads: letters,
    writes: [bundles],
    per: (letter) => letter.list,
    after: [stamping],
    quiet,
    incomplete,
    *run({ key, documents }) {
      yield bundles.document(key, { size: documents.length });
    },
  });
  return pipeline("letters", { stages: [opening, stamping, bundling] });
}

/** "bad" letters can never be stamped, "sticky" ones only later; "lost" ones refer to something that is not there yet. */
export const moodyPost = (): Post & { fixed: Set<string>; seen: string[] } => ({
  fixed: new Set(),
  seen: [],
  stamp(text) {
    this.seen.push(text);
    const word = text.split(" ")[0] as string;
    if (this.fixed.has(word)) return;
    if (word === "bad") throw permanent("letter.bad", `The letter "${text}" is bad.`);
    if (word === "sticky") throw transient("letter.sticky", `The letter "${text}" sticks.`);
    if (word === "lost") throw notFoundYet("letter.lost", "Its envelope is not there yet.");
    if (word === "down")
      throw transient("post.down", "The post is closed.", { dependency: "post", outage: true });
  },
});

/** An engine with the letters pipeline on an empty database, and an operator beside it who has no code. */
export async function openOffice(
  database: Database,
  options: Parameters<typeof makeLetters>[0] & {
    clock?: ReturnType<typeof virtualClock>;
    keep?: boolean;
    channels?: readonly Channel[];
  } = {},
) {
  const { clock = virtualClock(), keep = false, channels = [], ...shape } = options;
  if (!keep) await emptyDatabase(database).catch(() => undefined);
  const post = moodyPost();
  const letterPipeline = makeLetters(shape);
  const engine = await openTestEngine({
    pipelines: [letterPipeline],
    services: { post },
    database,
    clock,
    channels,
  });
  const operator = await openOperator({ database, clock, actor: "ann" });
  const bring = (id: string, texts: string[], list = "list-a") =>
    engine.accept(boxes.document(id, { list, letters: texts }));
  return { engine, operator, post, clock, bring, pipeline: letterPipeline };
}
