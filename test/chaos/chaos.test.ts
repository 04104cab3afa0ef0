import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const minutes = Number(process.env.HEADWAY_CHAOS_MINUTES ?? 2);
const script = fileURLToPath(new URL("../../chaos/main.ts", import.meta.url));

/** How it ended, and all that it said. */
function weather(...given: readonly string[]): Promise<{ code: number; output: string }> {
  const flags = ["--conditions=@headway/source", "--import", "tsx", script];
  return new Promise((resolve) => {
    execFile(process.execPath, [...flags, ...given], { maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: `${stdout}${stderr}` }),
    );
  });
}

it(`every promise holds through ${minutes} minutes of a storm that nobody has seen before`, {
  timeout: minutes * 60_000 + 360_000,
}, async () => {
  const { code, output } = await weather("--minutes", String(minutes));
  // The seed is in it: the same storm can be had again.
  console.log(output.split("\n").slice(-60).join("\n"));
  expect(code).toBe(0);
});
