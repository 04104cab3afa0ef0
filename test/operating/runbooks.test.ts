import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { samplePath } from "../../pipelines/consensus/src/sample.ts";
import { outputPattern } from "../../tools/markdown.ts";
import { filesMatching } from "../../tools/source.ts";
import { type Runbook, readRunbook, type Step } from "./read-runbook.ts";
import { openShell, type Shell } from "./runbook-shell.ts";
import { openWorld } from "./runbook-worlds.ts";
import { headway } from "./small-list.ts";

/**
 * Who is woken at night can type what a runbook says. In docs/operating:
 *
 *     <!-- world: stuck -->            what is broken before the first command: runbook-worlds.ts
 *     ```sh run                        commands, typed into one shell from the first to the last
 *     ```sh run exits 1                the same; the last of them ends with this code
 *     ```text output                   what they print, in order among other things; `…` stands for anything
 *     <!-- meanwhile: … -->            something happens that no command does
 */
const runbooks = filesMatching(/^docs\/operating\/.*\.md$/).flatMap(({ path, text }) => {
  const runbook = readRunbook(text);
  return runbook ? [[path, runbook] as const] : [];
});

describe("a runbook", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "headway-runbooks-")));
  const well = join(root, "well");
  beforeAll(async () => {
    // On a busy machine a list may seem quiet while still being read, and a thread of its first half would be deleted
    // later.
    vi.stubEnv("HEADWAY_LIST_QUIET", "3s");
    // Two mails of the sample are damaged on purpose, for dead letters.
    expect(await headway("ingest", samplePath(), "--data", well)).toMatchObject({ code: 3 });
    vi.unstubAllEnvs();
  }, 120_000);
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it.concurrent.each(runbooks)("%s says what happens", { timeout: 240_000 }, async (path, runbook) => {
    await follow(path, runbook, mkdtempSync(join(root, "world-")), well);
  });
});

async function follow(path: string, { world: name, steps }: Runbook, folder: string, well: string) {
  const world = await openWorld(name, { folder, well });
  const shell = openShell({ cwd: folder, env: world.env });
  try {
    for (const step of steps) {
      if (step.kind === "meanwhile") {
        const happen = world.meanwhile[step.what];
        if (!happen)
          expect.fail(`${path}:${step.line}: in the world "${name}" it does not happen that ${step.what}.`);
        await happen();
      } else await typeStep(path, step, world, shell);
    }
  } finally {
    shell.close();
    await world.close();
  }
}

async function typeStep(
  path: string,
  { code, line, exits, outputs }: Step & { kind: "type" },
  world: Awaited<ReturnType<typeof openWorld>>,
  shell: Shell,
): Promise<void> {
  const ended = await shell.type(world.toWorld(code));
  const printed = world.fromWorld(ended.printed);
  if (ended.code !== exits)
    expect.fail(`${path}:${line} ends with ${ended.code} instead of ${exits}. It prints:\n${printed}`);
  let from = 0;
  for (const output of outputs) {
    const found = outputPattern(output.text).exec(printed.slice(from));
    if (!found)
      expect.fail(`${path}:${output.line} shows what is not printed by line ${line}. It prints:\n${printed}`);
    from += found.index + found[0].length;
  }
}
