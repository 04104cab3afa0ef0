import { describe, expect, it } from "vitest";
import { decideRestore, type RestoreFacts } from "./restore.ts";

const diedAt = new Date("2026-01-01T10:00:00Z");
const exported = { diedAt, fingerprint: "4f2a", purged: false };
const there: RestoreFacts = {
  stageKnown: true,
  documentThere: true,
  owed: false,
  letter: { diedAt, fingerprint: "4f2a", purged: true },
};

describe("a dead letter of an export", () => {
  it("takes its place again when it was purged", () => {
    expect(decideRestore(there, exported)).toEqual({ kind: "restore" });
  });

  it("changes nothing when it is there as it was, or was exported without its content", () => {
    const whole = { ...there, letter: { diedAt, fingerprint: "4f2a", purged: false } };
    expect(decideRestore(whole, exported)).toEqual({ kind: "unchanged" });
    expect(decideRestore(there, { ...exported, purged: true })).toEqual({ kind: "unchanged" });
  });

  it.each<[string, Partial<RestoreFacts>]>([
    ["its stage is not in this database", { stageKnown: false, documentThere: false, letter: null }],
    ["its document was deleted", { documentThere: false, letter: null }],
    ["it was requeued and waits for its stage", { owed: true, letter: null }],
    ["it was requeued and is dead no more", { letter: null }],
    [
      "it was requeued and has died again since",
      { letter: { diedAt: new Date(diedAt.getTime() + 1), fingerprint: "4f2a", purged: true } },
    ],
    ["it was requeued and has died again since", { letter: { diedAt, fingerprint: "other", purged: true } }],
  ])("is refused because %s", (because, facts) => {
    expect(decideRestore({ ...there, ...facts }, exported)).toEqual({ kind: "refuse", because });
  });
});
