import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { findArchiveLinks, isPage } from "@headway/intake";
import { describe, expect, it } from "vitest";
import { mailRecogniser } from "./recognise-mail.ts";

const page = new URL("https://lists.example.org/pipermail/quic/index.html");
const links = (html: string, linksMax = 100) =>
  findArchiveLinks(html, page, { ...mailRecogniser, linksMax }).map(({ href }) =>
    href.replace("https://lists.example.org", ""),
  );

describe("links of an index page", () => {
  it("to archives below it are found once, in their order", () => {
    expect(
      links(`<A HREF="2005-May/thread.html">Thread</a> <a href='2005-May.txt.gz'>Gzip'd</a>
        <a href="2005-May.txt">Text</a> <a href="2005-June.txt">June</a> <a href="2005-June.txt.gz#x">June</a>
        <a href="sub/all.mbox">all</a> <a href="/pipermail/quic/x.zip">x</a> <a href="y.tgz">y</a>`),
    ).toEqual([
      "/pipermail/quic/2005-May.txt.gz",
      "/pipermail/quic/2005-June.txt.gz",
      "/pipermail/quic/sub/all.mbox",
      "/pipermail/quic/x.zip",
      "/pipermail/quic/y.tgz",
    ]);
  });

  it("to elsewhere are left alone", () => {
    expect(
      links(`<a href="/robots.txt"> <a href="../tls/2005-May.txt.gz"> <a href="https://evil.example/x.mbox">
        <a href="http://lists.example.org/pipermail/quic/x.mbox"> <a href="javascript:x.mbox"> <a href="https://[/x.gz">
        <a href="%2e%2e/%2e%2e/x.gz"> <link href="x.mbox"> <a name="x.mbox">`),
    ).toEqual([]);
  });

  it("are counted from the base the page names, and never more than the limit", () => {
    expect(links('<base href="/pipermail/quic/old/"><a href="1.mbox">')).toEqual([
      "/pipermail/quic/old/1.mbox",
    ]);
    const many = Array.from({ length: 500 }, (_, at) => `<a href="${at}.mbox">`).join("");
    expect(links(many, 20)).toHaveLength(20);
  });

  it("are looked for in a megabyte of nonsense", () => {
    for (const unit of ["<a href=", "<a ", '"', "<!--", "<base href='a/'>", "&#x"]) {
      expect(links(unit.repeat(1_000_000 / unit.length))).toEqual([]);
    }
  });

  const real = fileURLToPath(
    new URL("../../../../../shared/corpora/list-perceval/pipermail/pipermail_index.html", import.meta.url),
  );
  it.skipIf(!existsSync(real))("of a real index are found (corpora absent)", () => {
    const found = links(readFileSync(real, "utf8"));
    expect(found.length).toBeGreaterThan(0);
    expect(found.every((link) => /\.(txt|txt\.gz)$/.test(link))).toBe(true);
  });
});

describe("a page", () => {
  it.each([
    ["text/html", "<p>hello", true],
    ["text/plain", "\n <!DOCTYPE html><html>", true],
    ["text/html", "From a@b Mon Jan  3 10:00:00 2005\nFrom: a@b\n\n", false],
    ["text/html", gzipSync("x"), false],
    ["text/plain", "From: a@b\nSubject: <html>\n\n<html>", false],
    ["", "words", false],
  ])("served as %j beginning with %j: %j", (type, head, expected) => {
    expect(isPage(type, Buffer.from(head), mailRecogniser)).toBe(expected);
  });
});
