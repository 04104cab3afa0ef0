import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repo } from "./source.ts";

/** The compared part of the example's output with --json. */
interface Report {
  readonly letters: { readonly inserted: number; readonly changed: number; readonly unchanged: number };
  readonly workMs: number;
  readonly ran: number;
  readonly stages: readonly object[];
  readonly dead: readonly { readonly document: string; readonly code: string }[];
  readonly digests: readonly { readonly id: string; readonly times: number }[];
}

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "headway-example-"));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe("npm run example", { timeout: 120_000 }, () => {
  it("works through the letters, and the second time finds that nothing has changed", async () => {
    const first = await report("twice");
    expect(first.letters).toEqual({ inserted: 12, changed: 0, unchanged: 0 });
    expect(first.dead.map(({ document, code }) => `${document} ${code}`)).toEqual([
      "empty letter.empty",
      "endless letter.too-long",
      "gregor/1 http.404",
    ]);
    expect(first.digests.map(({ id, times }) => `${id} ${times}`)).toEqual(["E-101 4", "E-204 4", "E-330 3"]);

    const second = await report("twice");
    expect(second.letters).toEqual({ inserted: 0, changed: 0, unchanged: 12 });
    expect(second.ran).toBe(0);
    expect(second).toMatchObject({ stages: first.stages, dead: first.dead, digests: first.digests });
  });

  it("goes on where it was after kill -9, to the same end", async () => {
    const victim = start("killed", ["--slow"]);
    await told(victim, /dead in splitting/);
    victim.kill("SIGKILL");
    await once(victim, "exit");

    const { letters, ran, dead, digests } = await report("killed");
    expect(letters).toEqual({ inserted: 0, changed: 0, unchanged: 12 });
    expect(ran).toBeGreaterThan(0);
    expect(dead).toHaveLength(3);
    expect(digests.map(({ id, times }) => `${id} ${times}`)).toEqual(["E-101 4", "E-204 4", "E-330 3"]);
  });

  it("says what it can do, and what it cannot", async () => {
    expect(await told(start("help", ["--help"]), /--folder DIR/)).toContain("--fresh");
    const wrong = start("help", ["--wrong"]);
    await told(wrong, /Unknown option '--wrong'/);
    expect(wrong.exitCode ?? (await once(wrong, "exit"))[0]).toBe(1);
  });
});

function start(folder: string, args: readonly string[]): ChildProcess {
  const program = ["--conditions=@headway/source", "--import", "tsx", "docs/examples/first-pipeline.ts"];
  return spawn(process.execPath, [...program, "--folder", join(home, folder), ...args], { cwd: repo });
}

async function report(folder: string): Promise<Report> {
  const child = start(folder, ["--json"]);
  const ended = once(child, "close");
  const text = await told(child, /\n}\n$/);
  expect((await ended)[0]).toBe(0);
  return JSON.parse(text);
}

/** The output of a process up to a wanted text. */
async function told(child: ChildProcess, wanted: RegExp): Promise<string> {
  let said = "";
  return await new Promise((resolve, reject) => {
    const hear = (text: Buffer) => {
      said += text;
      if (wanted.test(said)) resolve(said);
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    child.once("close", () => reject(new Error(`It ended without saying ${wanted}:\n${said}`)));
  });
}
