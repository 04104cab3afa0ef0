import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { buildSample } from "../sample/build.ts";
import { readThread } from "../sample/read-threads.ts";
import { splitMails } from "./mail/split.ts";
import { samplePath } from "./sample.ts";

const folder = fileURLToPath(new URL("../sample/", import.meta.url));
const answers = JSON.parse(readFileSync(`${folder}answers.json`, "utf8"));
const authored = readdirSync(`${folder}threads`).flatMap((name) =>
  readThread(readFileSync(`${folder}threads/${name}`, "utf8")),
);

async function* archive(): AsyncGenerator<Uint8Array> {
  yield readFileSync(samplePath());
}

describe("the sample archive", () => {
  it("is what its thread files say, byte by byte", () => {
    expect(buildSample().equals(readFileSync(samplePath()))).toBe(true);
  });

  it("has as many mails as its answers say, two of them without a header", async () => {
    const ids: string[] = [];
    for await (const { bytes } of splitMails(archive())) {
      const id = /^Message-ID: (\S+)/m.exec(bytes.toString("latin1"))?.[1];
      ids.push(id ?? (bytes.includes("\nFrom: ") ? `without ${ids.length}` : "dead"));
    }
    const dead = ids.filter((id) => id === "dead").length;
    expect(ids).toHaveLength(answers.mails);
    expect(dead).toBe(answers.deadLetters);
    expect(new Set(ids.filter((id) => id !== "dead")).size).toBe(answers.messages);
    expect(answers.messages + answers.duplicates + answers.deadLetters).toBe(answers.mails);
  });

  it("has the discussions that its answers describe", () => {
    for (const { file, subject, messages } of answers.discussions) {
      const mails = readThread(readFileSync(`${folder}threads/${file}`, "utf8"));
      expect([file, mails.length]).toEqual([file, messages]);
      expect(mails[0]?.fields.get("subject")).toBe(`[tidewg] ${subject}`);
    }
  });

  it("has answers about mails and people that exist", () => {
    const people = JSON.parse(readFileSync(`${folder}people.json`, "utf8"));
    const known = new Set([...authored.map(({ id }) => id), ...Object.keys(people)]);
    const named = [
      ...[...answers.duplicated, ...answers.dead, ...answers.outOfOrder, ...answers.missingParent],
      ...[...answers.linkedBySubjectOnly, answers.injected, ...Object.keys(answers.flagged)],
      ...answers.discussions.flatMap((discussion: Discussion) => [
        ...Object.keys(discussion.positions ?? {}),
        ...Object.keys(discussion.votes ?? {}),
        ...(discussion.changedMind ?? []).flatMap(({ person, later, ...change }) => [
          person,
          later,
          change.in,
        ]),
        ...[discussion.call, discussion.decision].flatMap((said) => (said ? [said.by, said.in] : [])),
      ]),
    ];
    expect(named.filter((name) => !known.has(name))).toEqual([]);
    expect(new Set(authored.map(({ by }) => by)).size).toBe(answers.people);
  });

  it("names no domain that could be somebody's", () => {
    const text = readFileSync(samplePath(), "latin1");
    const hosts = text.match(/@[a-z0-9.-]+\.[a-z]{2,}/gi) ?? [];
    expect(hosts.filter((host) => !/\.example(?:\.(?:org|net|com))?$/i.test(host))).toEqual([]);
  });
});

interface Discussion {
  readonly positions?: Readonly<Record<string, string>>;
  readonly votes?: Readonly<Record<string, unknown>>;
  readonly changedMind?: readonly { readonly person: string; readonly in: string; readonly later: string }[];
  readonly call?: { readonly by: string; readonly in: string };
  readonly decision?: { readonly by: string; readonly in: string };
}
