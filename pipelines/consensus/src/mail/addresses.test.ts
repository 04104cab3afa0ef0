import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readAddress, readMailboxes } from "./addresses.ts";
import { readHeaders } from "./headers.ts";
import { readSender } from "./sender.ts";

const first = (field: string) => {
  const box = readMailboxes(field, null)[0];
  return box ? [box.name, box.address] : null;
};

describe("a mailbox", () => {
  it.each([
    ["ann@Host.ORG", "", "ann@host.org"],
    ["Ann Doe <Ann@Host.org>", "Ann Doe", "Ann@host.org"],
    ['"Doe, Ann" <ann@host>', "Doe, Ann", "ann@host"],
    ["Doe, Ann <ann@host>", "Doe, Ann", "ann@host"],
    ["ann@host (Ann Doe)", "Ann Doe", "ann@host"],
    ["<ann@host>", "", "ann@host"],
    ["ann at host.org (Ann Doe)", "Ann Doe", "ann@host.org"],
    ["ann at host.org  (=?utf-8?Q?J=C3=B6rg?=)", "Jörg", "ann@host.org"],
    ["Ann <ann at host.org>", "Ann", "ann@host.org"],
    ["ann <at> host.org", "", "ann@host.org"],
    ["ann (at) host (dot) org", "", "ann@host.org"],
    ["ann at host dot org", "", "ann@host.org"],
    ["ann[at]host.org", "", "ann@host.org"],
    ["=?utf-8?Q?Doe,_J=C3=B6rg?= <j@host>", "Doe, Jörg", "j@host"],
    ['"=?iso-8859-1?Q?J=F6rg?=" <j@host>', "Jörg", "j@host"],
    ["\"'Ann Doe'\" <ann@host>", "Ann Doe", "ann@host"],
    ["Ann (home) Doe <ann@host>", "Ann Doe", "ann@host"],
    ["<@relay,@other:ann@host>", "", "ann@host"],
    ["Friends: Ann <ann@host>, bob@host;", "Ann", "ann@host"],
    ["Pete(A wonderful guy) <pete(his account)@silly.test(his host)>", "Pete", "pete@silly.test"],
    ["Ann Doe ann@host", "Ann Doe", "ann@host"],
    ["Ann Doe <ann@host", "Ann Doe", "ann@host"],
    ["mailto:ann@host", "", "ann@host"],
    ["Ann Doe", "Ann Doe", ""],
    ["=?utf-8?B?QW5uIDxhbm5AaG9zdD4=?=", "Ann", "ann@host"],
    ['"Ann \\"the\\" Doe" <ann@host>', 'Ann "the" Doe', "ann@host"],
    ["Jos\xe9 <jose@host>", "José", "jose@host"],
  ])("%j is %j, %j", (field, name, address) => expect(first(field)).toEqual([name, address]));

  it("that is none is left out", () => expect(first("  ,  ")).toBeNull());

  it("is one of many", () => {
    const boxes = readMailboxes('Ann <a@x>, "B, C" <b@x>, c@x (Cee)', null);
    expect(boxes.map((box) => box.address)).toEqual(["a@x", "b@x", "c@x"]);
  });

  it("of any text has an address with a domain, or none", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 100 }), (text) => {
        for (const { address } of readMailboxes(text, null)) expect(address).toMatch(/^$|^.+@[^@\s]+$/s);
        expect(readAddress(text)).toMatch(/^$|^.+@[^@\s]+$/s);
      }),
    );
  });
});

describe("the sender", () => {
  const sender = (head: string, envelope: string | null = null) =>
    readSender(readHeaders(Buffer.from(`${head}\n\n`)), null, envelope);

  it.each([
    ["From: Ann via List <list@x>\nReply-To: Ann <ann@host>, list@x", "Ann", "ann@host"],
    [
      "From: 'Ann Doe' via Group <g@googlegroups.com>\nX-Original-From: Ann Doe <ann@host>",
      "Ann Doe",
      "ann@host",
    ],
    ["From: Ann via List <list@x>\nX-Original-Sender: ann@host", "Ann", "ann@host"],
    ["From: Ann Doe <ann=40host.org@dmarc.ietf.org>", "Ann Doe", "ann@host.org"],
    ["From: Ann via groups.io <ann=host.org@groups.io>", "Ann", "ann@host.org"],
  ])("%j is the author, not the list", (head, name, address) => {
    expect(sender(head)).toEqual({ from: { name, address }, flags: ["from.rewritten"] });
  });

  it("stays the list when nothing tells the author", () => {
    expect(sender("From: Ann via List <list@x>\nReply-To: list@x").from.address).toBe("list@x");
  });

  it("stays a tracker whose address for replies is its own too", () => {
    const from = sender("From: Ann via Tracker <no@t.org>\nReply-To: r+123@reviews.t.org").from;
    expect(from.address).toBe("no@t.org");
  });

  it("keeps From when Reply-To only asks for replies elsewhere", () => {
    expect(sender("From: Ann <ann@host>\nReply-To: Bob <bob@host>").from.address).toBe("ann@host");
  });

  it("is found in other fields and in the envelope, and flagged", () => {
    expect(sender("Sender: bob@host")).toEqual({
      from: { name: "", address: "bob@host" },
      flags: ["from.missing"],
    });
    expect(sender("Subject: x", "ann at host.org").from.address).toBe("ann@host.org");
  });
});
