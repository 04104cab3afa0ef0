import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Block, outputPattern, readPage } from "./markdown.ts";
import { filesMatching, repo } from "./source.ts";

/**
 * What the pages say is true: links lead somewhere, code compiles, programs print what is printed.
 *
 *     ```ts             type-checked, each block for itself
 *     ```ts run         type-checked and run: all of a page, in order, as one program
 *     ```text output    what such a program prints, in order among other things; `…` stands for anything
 */
const pages = filesMatching(/\.md$/).map(({ path, text }) => ({ path, ...readPage(text) }));
const withCode = pages.filter(({ path }) => path === "README.md" || path.startsWith("docs/"));
const withProgram = withCode.filter(({ blocks }) => blocks.some(isProgram));

/** Long enough for a busy machine. */
const programMs = 90_000;

// Inside the clone, where the code finds its packages; one per run, to separate concurrent runs.
let folder: string;
beforeAll(() => {
  mkdirSync(join(repo, ".cache"), { recursive: true });
  folder = mkdtempSync(join(repo, ".cache/docs-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the documentation is true", () => {
  it("every link to a page or a heading of ours leads somewhere", () => {
    const dead = pages.flatMap(({ path, links }) =>
      links.flatMap(({ target, line }) => {
        const problem = problemWithLink(path, target);
        return problem ? [`${path}:${line} links to ${target}: ${problem}.`] : [];
      }),
    );
    if (dead.length > 0) expect.fail(dead.join("\n"));
  });

  it("every ts block compiles", async () => {
    const modules = withCode.flatMap(({ path, blocks }) => [
      ...blocks
        .filter(({ info }) => info === "ts")
        .map((block) => writeModule(path, [block], `block-${block.line}`)),
      ...(blocks.some(isProgram) ? [writeModule(path, blocks.filter(isProgram), "program")] : []),
    ]);
    const errors = await compile(modules);
    if (errors.length > 0) expect.fail(errors.join("\n"));
  });

  it.each(withProgram.map((page) => [page.path, page.blocks] as const))(
    "the program of %s prints what the page says",
    { timeout: programMs + 10_000 },
    async (path, blocks) => {
      const { file } = writeModule(path, blocks.filter(isProgram), "program");
      const home = mkdtempSync(join(folder, "home-"));
      const stdout = await run(file, home);
      let from = 0;
      for (const { code, line } of blocks.filter(({ info }) => info === "text output")) {
        const found = outputPattern(code).exec(stdout.slice(from));
        if (!found)
          expect.fail(
            `${path}:${line} shows an output that its program does not print. It prints:\n${stdout}`,
          );
        from += found.index + found[0].length;
      }
    },
  );
});

function isProgram({ info }: Block): boolean {
  return info === "ts run";
}

function problemWithLink(from: string, target: string): string | null {
  if (/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(target)) return null;
  const [path = "", anchor] = decodeURI(target).split("#");
  const place =
    path === "" ? from : path.startsWith("/") ? path.slice(1) : normalize(join(dirname(from), path));
  if (place.startsWith("..")) return "that is outside the repository";
  if (!existsSync(join(repo, place))) return "there is no such file";
  const page = pages.find((each) => each.path === place);
  if (page && anchor && !page.anchors.has(anchor)) return `${place} has no heading "#${anchor}"`;
  return null;
}

interface Module {
  readonly page: string;
  readonly file: string;
}

/** Blank lines stand for the text around the code, so line numbers agree between module and page. */
function writeModule(page: string, blocks: readonly Block[], name: string): Module {
  const lines: string[] = [];
  for (const { code, line } of blocks) {
    while (lines.length < line - 1) lines.push("");
    lines.push(...code.split("\n"));
  }
  const file = join(folder, page.replaceAll(/[/.]/g, "-"), `${name}.ts`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${lines.join("\n")}\nexport {};\n`);
  return { page, file };
}

const execute = promisify(execFile);

/** The compiler's errors in these modules, with the page's name and line; errors in other files are ignored. */
async function compile(modules: readonly Module[]): Promise<string[]> {
  if (modules.length === 0) return [];
  const files = modules.map(({ file }) => file);
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: "../../tsconfig.json", include: [], files }),
  );
  const tsc = join(repo, "node_modules/.bin/tsc");
  const said = await execute(tsc, ["-p", folder, "--pretty", "false"], { cwd: folder }).then(
    () => "",
    (error: { stdout?: string; message: string }) => error.stdout || `error: ${error.message}`,
  );
  return said.split("\n").flatMap((line) => {
    const [, file, at, problem] = /^(?:(.+?)\((\d+),\d+\): )?error.*?: (.*)$/.exec(line) ?? [];
    if (!problem) return [];
    if (!file) return [`The compiler does not work: ${problem}`];
    const module = modules.find((each) => each.file === join(folder, file));
    return module ? [`${module.page}:${at} does not compile: ${problem}`] : [];
  });
}

/** Runs a program in an empty folder, as a reader would. */
async function run(file: string, cwd: string): Promise<string> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV|TEST$)/.test(name)),
  );
  const args = ["--conditions=@headway/source", "--import", "tsx", file];
  try {
    return (await execute(process.execPath, args, { cwd, env, timeout: programMs })).stdout;
  } catch (error) {
    const { message, stdout } = error as { message: string; stdout: string };
    return expect.fail(`${message}\n${stdout}`);
  }
}
