import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { archiveKey, showName, stripPacking } from "./archive-key.ts";

describe("the key of an archive", () => {
  it.each([
    ["2005-May.txt", "2005-May.txt"],
    ["2005-May.txt.gz", "2005-May.txt"],
    ["old/list.tar.gz", "old/list"],
    ["list.TGZ", "list"],
    ["./a//b.mbox", "a/b.mbox"],
    ["cur/1204.M2P9.host:2,RS", "1204.M2P9.host"],
    ["new/1204.M2P9.host", "1204.M2P9.host"],
    ["sub/cur/1204.M2P9.host:2,", "sub/1204.M2P9.host"],
    ["cur/1204.M2P9.host;2,S", "1204.M2P9.host"],
    ["Ü.mbox", "Ü.mbox"],
    ["a\u0000b\u001b[31m.mbox", "a\ufffdb\ufffd[31m.mbox"],
    [".gz", ".gz"],
    ["", "mail"],
  ])("of %j is %j", (name, expected) => {
    expect(archiveKey([name])).toBe(expected);
  });

  it("keeps its suffix where the other name is taken", () => {
    expect(archiveKey(["a.mbox.gz"], { keepsSuffix: true })).toBe("a.mbox.gz");
  });

  it("is the same zipped or not, read or unread, composed or not", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zäöü]{1,12}\.mbox$/), (name) => {
        const key = archiveKey(["f", name]);
        expect(archiveKey(["f", `${name}.gz`])).toBe(key);
        expect(archiveKey(["f", name.normalize("NFD")])).toBe(key);
        expect(archiveKey(["f/cur", `${name}:2,FS`])).toBe(archiveKey(["f/new", name]));
      }),
    );
  });

  it("never holds what a database refuses", () => {
    // All of UTF-16, halves of characters included.
    const names = fc.array(fc.nat(0xffff), { maxLength: 40 }).map((codes) => String.fromCharCode(...codes));
    fc.assert(
      fc.property(names, (name) => {
        const key = archiveKey([name]);
        expect(key).not.toBe("");
        expect(key).not.toMatch(/\p{Cc}|\p{Surrogate}/u);
        expect(showName(key)).toBe(key);
      }),
    );
  });

  it("a name made of suffixes loses one", () => {
    expect(stripPacking(".gz".repeat(100_000))).toHaveLength(299_997);
  });
});
