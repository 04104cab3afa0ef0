import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sniffArchive } from "./split-sniff.ts";

const sniff = (text: string) => sniffArchive(Buffer.from(text, "latin1"));
const line = "From ann@example.org Sat Jan  1 00:00:00 2000\n";

describe("the first bytes tell", () => {
  it.each([
    ["mbox", `${line}Subject: x\n\nHello`],
    ["mbox", `\xef\xbb\xbf\n${line}Subject: x\n\nHello`],
    ["mbox", `Some words.\n\n${line}Subject: x\n\nHello`],
    ["mbox", "From \nSubject: x\n\nHello"],
    ["mmdf", "\x01\x01\x01\x01\nSubject: x\n\nHello\n\x01\x01\x01\x01\n"],
    ["listserv", `${"=".repeat(73)}\nDate:         Mon, 2 Jan 1995\nFrom: x\n\nHello`],
    ["mail", `${"=".repeat(72)}\nDate: Mon, 2 Jan 1995\nFrom: x\nSubject: y\n\nHello`],
    ["mail", "Received: from a\n\tby b\nSubject: x\n\nHello"],
    ["mail", "\r\nX-Odd: 1\r\nDate: today\r\n\r\nHello"],
    ["mail", "12345\nReturn-Path: <a>\nDate: x\nSubject: y\n\nHello"],
    ["empty", ""],
    ["empty", " \n\0\n"],
  ] as const)("%s", (kind, text) => {
    expect(sniff(text).kind).toBe(kind);
  });

  it.each([
    ["%PDF-1.7\n", "It is a PDF document."],
    ["PK\x03\x04...", "It is a ZIP file or a document packed as one."],
    ["\x1f\x8b\x08", "It is a gzip file."],
    ["<!DOCTYPE html>\n<title>", "It is an HTML page."],
    ["\n<HTML>", "It is an HTML page."],
    ["<?xml version='1.0'?>", "It is an XML document."],
    ["\x89PNG\r\n\x1a\n", "It is a PNG image."],
    ["\xff\xfeF\0r\0", "It is text in UTF-16, and mail archives are bytes: save it as UTF-8."],
    [
      [..."From ann@example.org"].join("\0").concat("\0"),
      "It is text in UTF-16, and mail archives are bytes: save it as UTF-8.",
    ],
    ["\x01\x02\x03\x00\x05\x06 and so on", "It is binary data."],
    ["Dear diary,\n\nnothing happened.", "It is text without a single mail header."],
    ["Title: A story\nAuthor: me\n\nOnce.", "It is text without a single mail header."],
    ["From the start, it was prose.\nTo: be or not", "It is text without a single mail header."],
  ])("that %j is no mail, and why", (text, because) => {
    expect(sniff(text)).toEqual({ kind: "not-mail", because });
  });

  it("something about any bytes, in a sentence", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(sniffArchive(Buffer.from(bytes)).because).toMatch(/^It .+\.$/);
      }),
    );
  });
});
