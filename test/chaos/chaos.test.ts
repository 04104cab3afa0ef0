import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const minutes = Number(process.env.HEADWAY_CHAOS_MINUTES ?? 2);
const script = fileURLToPath(new URL("../../chaos/main.ts", import.meta.url));

/** All that it said. */
function weather(...given: readonly string[]): Promise<string> {
  const flags = ["--conditions=@headway/source", "--import", "tsx", script];
  return new Promise((resolve) => {
    execFile(process.execPath, [...flags, ...given], { maxBuffer: 1 << 26 }, (_, stdout, stderr) =>
      resolve(`${stderr}${stdout}`),
    );
  });
}

it(`every promise holds through ${minutes} minutes of a storm that nobody has seen before`, {
  timeout: minutes * 60_000 + 360_000,
}, async () => {
  const seed = randomInt(1_000_000);
  const broker = seed % 2 === 0 ? "database" : "rabbitmq";
  const output = await weather("--minutes", String(minutes), "--seed", String(seed), "--broker", broker);
  // The seed is in it: the same storm can be had again.
  console.log(output.split("\n").slice(-60).join("\n"));
  const { kills, ...harm } = JSON.parse(output.trim().split("\n").at(-1) as string);
  expect(output).not.toContain("It did not settle");
  expect(harm).toMatchObject({ lost: 0, doubled: 0, orphans: 0, violations: 0 });
  expect(kills).toBeGreaterThan(10 * minutes);
});
