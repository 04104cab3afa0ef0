import { describe, expect, it } from "vitest";
import { findMentions, type MatterKind, readMatter } from "./matters.ts";

const versions = (kind: MatterKind, name: string, subject: string, clean = ""): (string | null)[] => {
  const matter = readMatter(kind, name);
  if (!matter) throw new Error(`${name} is no ${kind}`);
  return findMentions(matter, { subject, clean }).map(({ version }) => version);
};

describe("a matter", () => {
  it("is known by every spelling of its name, with the version", () => {
    expect(versions("draft", "draft-ietf-quic-recovery-34.txt", "draft-ietf-quic-recovery-07")).toEqual([
      "07",
    ]);
    expect(versions("draft", "draft-ietf-quic-recovery", "", "see Draft-IETF-quic-recovery.")).toEqual([
      null,
    ]);
    expect(versions("draft", "draft-ietf-quic", "draft-ietf-quic-recovery-07")).toEqual([]);
    expect(versions("rfc", "9000", "RFC9000 and rfc 9000, not RFC 90001")).toEqual([null, null]);
    expect(versions("issue", "#12", "fixes #12, bug 12, issues/12, not #123 or a#12")).toHaveLength(3);
    expect(versions("issue", "arrow-77", "ARROW-77: a crash")).toEqual([null]);
    expect(versions("release", "1.8.6", "TOMOYO 1.8.6 released, v1.8.6, not 1.8.61 or 1.8.6.1")).toHaveLength(
      2,
    );
  });

  it("is a patch series by its subjects", () => {
    expect(versions("series", "docs: Add x", "Re: [Bpf] [PATCH bpf-next v3 1/2] docs: Add x")).toEqual(["3"]);
    expect(versions("series", "[PATCH v2] docs: Add x", "[PATCH] docs: Add x")).toEqual(["1"]);
    expect(versions("series", "docs: Add x", "docs: Add xyz", "docs: Add x")).toEqual([]);
  });

  it("needs a name of its kind", () => {
    expect(readMatter("draft", "quic")).toBeNull();
    expect(readMatter("rfc", "nine")).toBeNull();
    expect(readMatter("issue", "some issue")).toBeNull();
    expect(readMatter("series", "[PATCH]")).toBeNull();
    expect(readMatter("release", "next")).toBeNull();
  });
});
