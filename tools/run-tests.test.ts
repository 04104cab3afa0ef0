import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const script = fileURLToPath(new URL("run-tests.ts", import.meta.url));
const tsx = import.meta.resolve("tsx");

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "headway-fake-project-"));
  await writeFile(join(folder, "package.json"), `{ "type": "module" }`);
  await writeFile(
    join(folder, "vitest.config.mjs"),
    "export default { test: { globals: true, isolate: false } };",
  );
});
afterEach(() => rm(folder, { recursive: true }));

const write = (name: string, text: string) => writeFile(join(folder, name), text);
const fine = `test("works", () => {});`;
const broken = `test("works", () => { throw new Error("no"); });`;
/** Fails in its first process, like a test on a busy machine. */
const unlucky = `import { existsSync, writeFileSync } from "node:fs";
  test("works", () => {
    if (existsSync("met")) return;
    writeFileSync("met", "");
    throw new Error("busy");
  });`;

function runTests(): Promise<{ code: number; lines: string[] }> {
  // Variables of the outer Vitest must not reach the fake project.
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|HEADWAY|TEST$|NODE_ENV)/.test(name));
  const env = { ...Object.fromEntries(own), NO_COLOR: "1" };
  return new Promise((resolve) => {
    execFile(process.execPath, ["--import", tsx, script], { cwd: folder, env }, (error, stdout) =>
      resolve({ code: error === null ? 0 : Number(error.code), lines: stdout.trimEnd().split("\n") }),
    );
  });
}

describe("npm test", { timeout: 120_000 }, () => {
  it("passes when every file passes", async () => {
    await write("a.test.js", fine);
    const { code, lines } = await runTests();
    expect([code, lines.at(-1)]).toEqual([0, "1 passed, 0 failed"]);
  });

  it("counts a file that fails beside others and passes alone as passed, and names it", async () => {
    await write("a.test.js", fine);
    await write("b.test.js", unlucky);
    const { code, lines } = await runTests();
    expect(lines).toContain("FAILED BESIDE OTHERS, PASSED ALONE: b.test.js");
    expect([code, lines.at(-1)]).toEqual([0, "2 passed, 0 failed"]);
  });

  it("fails with a file that fails alone as well, whatever other files came to", async () => {
    await write("a.test.js", fine);
    await write("b.test.js", unlucky);
    await write("c.test.js", `${broken}${fine}`);
    const { code, lines } = await runTests();
    expect(lines).toContain("Failed twice, the second time alone: c.test.js");
    expect([code, lines.at(-1)]).toEqual([1, "3 passed, 1 failed"]);
  });

  it("tries a file alone whose process died, or that threw when no test was there to catch it", async () => {
    await write("a.test.js", unlucky.replace("throw", `process.kill(process.pid, "SIGKILL"); throw`));
    await write("b.test.js", `${fine} Promise.reject(new Error("nobody"));`);
    const { code, lines } = await runTests();
    expect(lines).toContain("FAILED BESIDE OTHERS, PASSED ALONE: a.test.js");
    expect(lines).toContain("Failed twice, the second time alone: b.test.js");
    expect([code, lines.at(-1)]).toEqual([1, "2 passed, 1 failed"]);
  });

  it("does not try many broken files again", async () => {
    for (let at = 0; at < 16; at++) await write(`${at}.test.js`, broken);
    const { code, lines } = await runTests();
    expect(lines).toContain("16 files failed, too many to try each of them alone.");
    expect([code, lines.at(-1)]).toEqual([1, "0 passed, 16 failed"]);
  });

  it("fails when there is no test, or a file cannot be read", async () => {
    const none = await runTests();
    expect([none.code, none.lines.at(-1)]).toEqual([1, "0 passed, 1 failed"]);
    await write("a.test.js", "this is no program");
    const unread = await runTests();
    expect([unread.code, unread.lines.at(-1)]).toEqual([1, "0 passed, 1 failed"]);
  });
});
