import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { guessListName, guessListNameOfUrl, sanitise } from "./list-name.ts";

describe("the name of a list", () => {
  it.each([
    ["/lists/quic/2005-May.txt", "quic"],
    ["/lists/quic/2005-05", "quic"],
    ["/lists/quic/200505.mbox", "quic"],
    ["/lists/quic/2005/05.mbox.gz", "quic"],
    ["/lists/quic/2005May.txt.gz", "quic"],
    ["/lists/quic/2023Q1.mbox", "quic"],
    ["/lists/quic/inbox", "quic"],
    ["/lists/quic/mbox", "quic"],
    ["/lists/quic/cur", "quic"],
    ["/lists/quic/cur/1204680122.M20P9.host:2,S", "quic"],
    ["/lists/quic/archive.tar.gz", "quic"],
    ["/lists/quic/17", "quic"],
    ["/lists/quic.mbox", "quic"],
    ["/lists/quic.mbox/quic.mbox", "quic"],
    ["/lists/QUIC.mbox.gz", "quic"],
    ["/lists/quic-2023-05.mbox", "quic"],
    ["/lists/httpd-users.200606.gz", "httpd-users"],
    ["/lists/bpf-ietf-2023H1.dev.mbox", "bpf-ietf-2023h1.dev"],
    ["/Mail/Lists.sbd/Tls Working Group", "tls-working-group"],
    ["/Maildir/.lists.quic/cur", "lists.quic"],
    ["/export/dev@maven.apache.org-2017-11.mbox.gz", "dev.maven.apache.org"],
    ["/listen/Überraschung.mbox", "uberraschung"],
    ["/mail/inbox", "mail"],
    ["", "mail"],
  ])("%s is of %s", (path, expected) => {
    expect(guessListName(path.split("/"))).toBe(expected);
  });

  it.each([
    ["https://mail.python.org/pipermail/twisted-web/2005-May.txt.gz", "twisted-web"],
    ["https://mail.python.org/pipermail/twisted-web/", "twisted-web"],
    ["https://mailarchive.ietf.org/arch/msg/quic", "quic"],
    ["https://mailarchive.ietf.org/arch/browse/quic/", "quic"],
    ["https://lists.w3.org/Archives/Public/www-style/2005May/", "www-style"],
    [
      "https://lists.example.org/archives/list/users@example.org/export/users@example.org-2016-03.mbox.gz?start=2016",
      "users.example.org",
    ],
    [
      "https://lists.apache.org/api/mbox.lua?list=dev&domain=httpd.apache.org&d=2017-11",
      "dev.httpd.apache.org",
    ],
    ["https://lore.kernel.org/bpf/t.mbox.gz", "bpf"],
    ["https://archive.example.org/%ff%fe", "ff-fe"],
    ["https://archive.example.org/", "archive.example.org"],
  ])("%s is of %s", (url, expected) => {
    expect(guessListNameOfUrl(new URL(url))).toBe(expected);
  });

  it("names in other scripts stay apart", () => {
    const [one, other] = [guessListName(["новости.mbox"]), guessListName(["公告.mbox"])];
    expect(one).toMatch(/^list-[0-9a-f]{8}$/);
    expect(one).not.toBe(other);
  });

  it("is never empty and never holds anything else than small letters, digits, dots and dashes", () => {
    // All of UTF-16, halves of characters included.
    const name = fc.array(fc.nat(0xffff), { maxLength: 40 }).map((codes) => String.fromCharCode(...codes));
    fc.assert(
      fc.property(fc.array(name, { maxLength: 5 }), (names) => {
        expect(guessListName(names)).toMatch(/^[a-z0-9][a-z0-9._-]{0,79}$/);
      }),
    );
  });

  it("is the same when its own guess is guessed from, for names without dates", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[b-z]{3,12}-wg$/), (name) => {
        expect(guessListName([sanitise(name)])).toBe(sanitise(name));
      }),
    );
  });

  it("is found in a megabyte of nothing", () => {
    for (const unit of ["-", ".gz", " .", "2005-", "a@", "\u0300"]) {
      expect(guessListName(["x", unit.repeat(1_000_000 / unit.length)])).toMatch(/^[a-z0-9._-]{1,80}$/);
    }
  });
});
