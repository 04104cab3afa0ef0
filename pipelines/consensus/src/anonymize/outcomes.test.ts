import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, it, vi } from "vitest";
import { postsByThread, type ReadMail, readArchive } from "../../test/read-list.ts";
import { samplePath } from "../sample.ts";
import { weigh } from "../weigh/weigh.ts";
import { writeAnonymousArchives } from "./anonymize.ts";
import { makePseudonyms } from "./pseudonyms.ts";

vi.setConfig({ testTimeout: 120_000 });

const corpora = new URL("../../../../../shared/corpora/", import.meta.url);
const archives = [
  samplePath(),
  ...["list-bpf-ietf/bpf-ietf-2023H1.dev.mbox", "list-imagej-devel/2012-June.txt"].map(
    (path) => new URL(path, corpora).pathname,
  ),
];

const key = Buffer.from("key");
const { messageId: hidden } = makePseudonyms({
  ...{ key, words: new Set(), nameWords: new Set(), messageIds: new Set() },
});

async function copyOf(mails: readonly ReadMail[]): Promise<readonly ReadMail[]> {
  const folder = await mkdtemp(join(tmpdir(), "headway-anonymous-"));
  try {
    const engine = { documents: () => toAsync(mails) } as unknown as Parameters<
      typeof writeAnonymousArchives
    >[0];
    const { lists } = await writeAnonymousArchives(engine, folder, { key });
    const place = lists[0]?.folder ?? "";
    const [name = ""] = await readdir(place);
    return await readArchive(readFileSync(join(place, name)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function* toAsync<T>(all: readonly T[]): AsyncGenerator<T> {
  yield* all;
}

/** Who stands where in each thread, by the mails that show it. */
function outcomes(mails: readonly ReadMail[], name: (id: string) => string): Map<string, string> {
  return new Map(
    postsByThread(mails).map((posts) => {
      const { level, positions, tally, decisions, calls } = weigh(posts);
      const stances = positions.map(({ message, stance }) => `${name(message)} ${stance}`);
      const others = [...decisions, ...calls].map(({ message, kind }) => `${name(message)} ${kind}`);
      return [
        name(posts[0]?.id ?? ""),
        JSON.stringify([level, tally, stances.sort(), others.sort(), posts.length]),
      ];
    }),
  );
}

it.each(archives)("an anonymous copy comes to the same: %s", async (path) => {
  // Without the corpora the sample is all there is.
  if (!existsSync(path)) return;
  const bytes = path.endsWith(".gz") ? gunzipSync(readFileSync(path)) : readFileSync(path);
  const mails = await readArchive(bytes);
  const before = outcomes(mails, hidden);
  const after = outcomes(await copyOf(mails), (id) => id);
  const changed = [...before].filter(([id, outcome]) => after.get(id) !== outcome);
  expect(changed.map(([id, outcome]) => ({ was: outcome, is: after.get(id) ?? "no such thread" }))).toEqual(
    [],
  );
  expect(after.size).toBe(before.size);
});
