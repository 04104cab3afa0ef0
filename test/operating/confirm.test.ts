import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { confirm } from "../../cli/src/confirm.ts";
import { makeCollectingConsole } from "../consensus/collecting-console.ts";

function terminal(answer: string): NodeJS.ReadStream {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  input.end(`${answer}\n`);
  return input as unknown as NodeJS.ReadStream;
}

describe("before something is destroyed", () => {
  it.each(["y", "Y", "yes", " YES "])("a person is asked, and %j is a yes", async (answer) => {
    const console = makeCollectingConsole();
    await confirm("Purge 3 dead letters?", { console, input: terminal(answer) });
    expect(console.err()).toBe("Purge 3 dead letters? [y/N] ");
  });

  it.each(["", "n", "yo", "nyes"])("%j is a no", async (answer) => {
    const console = makeCollectingConsole();
    const asked = confirm("Purge?", { console, input: terminal(answer) });
    await expect(asked).rejects.toThrow("Nothing was done.");
  });

  it("nobody is asked who said it beforehand, and where nobody is it is refused", async () => {
    const console = makeCollectingConsole();
    const pipe = new PassThrough() as unknown as NodeJS.ReadStream;
    await confirm("Purge?", { console, yes: true, input: pipe });
    await expect(confirm("Purge?", { console, input: pipe })).rejects.toThrow("add --yes to do it");
    expect(console.err()).toBe("");
  });
});
