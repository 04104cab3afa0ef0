import { describe, expect, it } from "vitest";
import { cleanFilename } from "./filenames.ts";
import { readableParameter, readParameters } from "./parameters.ts";

const read = (field: string) => {
  const { value, parameters } = readParameters(field);
  return [value, Object.fromEntries([...parameters].map(([name, raw]) => [name, readableParameter(raw)]))];
};

describe("a field with parameters", () => {
  it.each([
    ["Text/Plain; Charset=utf-8", "text/plain", { charset: "utf-8" }],
    ['text/plain; charset="utf-8" ; format=flowed', "text/plain", { charset: "utf-8", format: "flowed" }],
    ['text/plain;; charset="a;b"', "text/plain", { charset: "a;b" }],
    ["text/plain; name=my file (1).pdf", "text/plain", { name: "my file (1).pdf" }],
    ["text/plain; name=file(1).pdf", "text/plain", { name: "file(1).pdf" }],
    ['text/plain; name="a\\"b"', "text/plain", { name: 'a"b' }],
    ['text/plain; name="never closed', "text/plain", { name: "never closed" }],
    ["text/plain (a comment); charset=x (another)", "text/plain", { charset: "x" }],
    ["text/plain; charset=a; charset=b", "text/plain", { charset: "a" }],
    ["charset=utf-8", "", { charset: "utf-8" }],
    ["", "", {}],
    ["a/b; name*=utf-8''J%C3%B6rg.txt", "a/b", { name: "Jörg.txt" }],
    ["a/b; name*0*=utf-8''J%C3; name*1*=%B6rg; name*2=.txt", "a/b", { name: "Jörg.txt" }],
    ["a/b; name*1=b; name*0=a", "a/b", { name: "ab" }],
    ["a/b; name*=iso-8859-1'de'f%FCr", "a/b", { name: "für" }],
    ["a/b; name*=utf-8''%E4%BD%A0%E5%A5%BD.txt", "a/b", { name: "你好.txt" }],
    ["a/b; name=x; name*=utf-8''y", "a/b", { name: "y" }],
  ])("%j is %j with %j", (field, value, parameters) => expect(read(field)).toEqual([value, parameters]));
});

describe("the name of a file", () => {
  it.each([
    ["report.pdf", "report.pdf"],
    ["../../etc/passwd", "passwd"],
    ["C:\\Users\\ann\\report.pdf", "report.pdf"],
    ["=?utf-8?Q?J=C3=B6rg.txt?=", "Jörg.txt"],
    ["J\xf6rg.txt", "Jörg.txt"],
    ["a\r\n\tb\u0000.txt", "a b .txt"],
    ["evil\xe2\x80\xaegpj.exe", "evil gpj.exe"],
    ["a  b", "a b"],
  ])("%j is %j", (raw, name) => expect(cleanFilename(raw)).toBe(name));

  it.each(["", "..", ".", "/", "a/..", "   "])("%j is none", (raw) => expect(cleanFilename(raw)).toBeNull());

  it("is cut before its ending when it is too long", () => {
    const name = cleanFilename(`${"x".repeat(500)}.tar.gz`)!;
    expect([name.length, name.endsWith(".gz")]).toEqual([200, true]);
  });
});
