import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findLinks } from "./links.ts";

const only = (text: string) => findLinks(text).map(({ kind, label, href }) => [kind, label, href]);
const labels = (text: string) => findLinks(text).map(({ label }) => label);

describe("what a text refers to", () => {
  it.each([
    ["draft-ietf-quic-transport-34", "draft-ietf-quic-transport-34", "html/draft-ietf-quic-transport-34"],
    ["Draft-Ietf-TLS-esni", "draft-ietf-tls-esni", "draft-ietf-tls-esni/"],
    [
      "[draft-rescorla-tls-subcerts-00]",
      "draft-rescorla-tls-subcerts-00",
      "html/draft-rescorla-tls-subcerts-00",
    ],
    ["draft-ietf-quic-http-20.txt", "draft-ietf-quic-http-20", "html/draft-ietf-quic-http-20"],
  ])("%s is a draft at the datatracker", (text, label, place) => {
    expect(only(text)).toEqual([["draft", label, `https://datatracker.ietf.org/doc/${place}`]]);
  });

  it.each([
    ["RFC 9000", "RFC 9000", "rfc9000"],
    ["RFC9000", "RFC 9000", "rfc9000"],
    ["RFC-2822", "RFC 2822", "rfc2822"],
    ["rfc0793", "RFC 793", "rfc793"],
    ["[RFC9000]", "RFC 9000", "rfc9000"],
    ["RFC 9000 Section 4.2", "RFC 9000, Section 4.2", "rfc9000#section-4.2"],
    ["RFC9000, §17.2.1.", "RFC 9000, Section 17.2.1", "rfc9000#section-17.2.1"],
    ["[RFC9000], Section 8", "RFC 9000, Section 8", "rfc9000#section-8"],
    ["Section 4.2 of RFC 9000", "RFC 9000, Section 4.2", "rfc9000#section-4.2"],
    ["section 4.2 of\n[RFC9000]", "RFC 9000, Section 4.2", "rfc9000#section-4.2"],
    ["RFC 8446 Appendix D.4", "RFC 8446, Appendix D.4", "rfc8446#appendix-D.4"],
  ])("%j is an RFC", (text, label, place) => {
    expect(only(text)).toEqual([["rfc", label, `https://www.rfc-editor.org/rfc/${place}`]]);
  });

  it.each([
    ["https://github.com/quicwg/base-drafts/issues/12", "issue", "quicwg/base-drafts#12"],
    ["https://github.com/quicwg/base-drafts/pull/12#issuecomment-1", "pull", "quicwg/base-drafts#12"],
    ["https://gitlab.com/group/sub/project/-/issues/7", "issue", "group/sub/project#7"],
    ["https://salsa.example.org/a/b/-/merge_requests/9", "pull", "a/b!9"],
    ["https://issues.apache.org/jira/browse/MNG-6169", "issue", "MNG-6169"],
    ["https://bugzilla.example.org/show_bug.cgi?id=123", "issue", "Bug 123"],
    ["https://datatracker.ietf.org/doc/draft-ietf-tls-esni/", "draft", "draft-ietf-tls-esni"],
    ["https://tools.ietf.org/html/rfc793", "rfc", "RFC 793"],
    ["https://lore.kernel.org/bpf/x@y/", "message", "https://lore.kernel.org/bpf/x@y/"],
    ["https://example.org/a?b=c", "url", "https://example.org/a?b=c"],
  ])("%s is known by its address", (address, kind, label) => {
    expect(only(`see ${address}, please`)).toEqual([[kind, label, address]]);
  });

  it("an issue is named by its repository", () => {
    expect(only("Fixes quicwg/base-drafts#3711.")).toEqual([
      ["issue", "quicwg/base-drafts#3711", "https://github.com/quicwg/base-drafts/issues/3711"],
    ]);
  });

  it("a tracker's key leads somewhere only where the tracker is known", () => {
    expect(only("MNG-6169 is done")).toEqual([["issue", "MNG-6169", null]]);
    const known = findLinks("MNG-6169", { issueBase: "https://issues.example.org/browse/" });
    expect(known[0]?.href).toBe("https://issues.example.org/browse/MNG-6169");
    expect(findLinks("MNG-6169", { issueBase: "javascript:" })[0]?.href).toBeNull();
  });

  it.each([
    "UTF-8 SHA-256 ISO-8859-1 AES-128 COVID-19 UTC-8 US-ASCII HMAC-SHA-256 TR-069 GPL-2 IPV-6 TLS-1.3 X-1",
    "draft-like prose, a draft, my-draft-ietf-x-y, draft-",
    "ftp://example.org javascript://example.org/alert(1) xhttp://example.org http:// https://",
    "and/or a/b#c 1/2 RFC RFC9000a PEP CVE-2021 path/to/file.txt",
  ])("nothing is found in %j", (text) => {
    expect(findLinks(text)).toEqual([]);
  });

  it("other series are known too", () => {
    expect(only("PEP 8, CVE-2021-44228, BCP 14")).toEqual([
      ["url", "PEP 8", "https://peps.python.org/pep-0008/"],
      ["cve", "CVE-2021-44228", "https://www.cve.org/CVERecord?id=CVE-2021-44228"],
      ["rfc", "BCP 14", "https://www.rfc-editor.org/info/bcp14"],
    ]);
    expect(only("Message-ID: <a.b@example.org>")).toEqual([["message", "a.b@example.org", null]]);
  });

  it.each([
    ["(see https://example.org/a).", "https://example.org/a"],
    ["https://example.org/a_(b)", "https://example.org/a_(b)"],
    ["(https://example.org/a_(b))", "https://example.org/a_(b)"],
    ["<https://example.org/a>", "https://example.org/a"],
    ["*https://example.org/a*!", "https://example.org/a"],
    ['"https://example.org/a"', "https://example.org/a"],
    ["https://example.org/a。次", "https://example.org/a"],
    ["HTTPS://EXAMPLE.ORG/A", "HTTPS://EXAMPLE.ORG/A"],
    ["[1]: https://example.org/a;", "https://example.org/a"],
  ])("the address in %j ends where the sentence goes on", (text, address) => {
    expect(labels(text)).toEqual([address]);
  });

  it("what is inside an address is not found again", () => {
    expect(labels("https://example.org/RFC9000/draft-a-b-c/CVE-2021-44228")).toHaveLength(1);
  });
});

describe("any text", () => {
  const pieces = fc.constantFrom(
    "https://",
    "RFC ",
    "9000",
    " Section 4.2",
    "draft-a-b",
    "-01",
    "a/b#1",
    "ABC-1",
    "(",
    ")",
    ".",
    "javascript:",
    "<",
    '"',
    "\n",
  );
  const texts = fc.oneof(
    fc.array(pieces).map((all) => all.join("")),
    fc.string({ unit: "binary" }),
    fc.webUrl(),
  );

  it("has links in order, apart, inside it, and to the web only", () => {
    fc.assert(
      fc.property(texts, (text) => {
        let last = 0;
        for (const { start, end, label, href } of findLinks(text)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(text.length);
          expect(label).not.toBe("");
          if (href !== null) expect(new URL(href).protocol).toMatch(/^https?:$/);
          last = end;
        }
      }),
    );
  });

  it.each([
    "a",
    "a/",
    "https://",
    "https://a.b/(",
    ")",
    "draft-",
    "draft-a-b-",
    "RFC ",
    "A-1",
    "a-",
    "section 1.",
    "mid:a",
    "1",
  ])("of a million characters of %j is read in one go", (piece) => {
    const text = piece.repeat(1_000_000 / piece.length);
    expect(findLinks(text).length).toBeLessThanOrEqual(text.length);
  });
});
