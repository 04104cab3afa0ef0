import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Option } from "@commander-js/extra-typings";
import { roles } from "@headway/console";
import { actorName } from "../desk.ts";
import { Refusal } from "../exit-codes.ts";
import type { Adding } from "../run.ts";
import { addressFile } from "../serve-operators.ts";
import { placeOf, sharedFlags } from "../shared-options.ts";

export function addConsole({ program, console }: Adding): void {
  program
    .command("console")
    .description("Print a link into the web console of a running process")
    .addOption(
      new Option("--role <role>", "what the link allows").choices(roles).default("operator" as const),
    )
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .addHelpText(
      "after",
      `\nExamples:\n  headway console\n  headway console --role reader\n\nA link works once, for ten minutes; the session lasts twelve hours after its last use. Other people get keys: "headway access".`,
    )
    .action(async (options) => {
      const { data } = placeOf(options);
      const url = await readText(addressFile(data));
      const token = await readText(join(data, "token"));
      if (url === null || token === null)
        throw new Refusal(`No console is served from ${data}: start "headway up" first.`);
      console.write(`${url}/${await entryOf(url, token, options.role)}\n`);
    });
}

async function entryOf(url: string, token: string, role: string): Promise<string> {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "headway-actor": Buffer.from(actorName(), "utf8").toString("latin1"),
  };
  const request = { method: "POST", headers, body: JSON.stringify([role]) };
  const response = await fetch(`${url}/api/console-link`, request).catch(() => null);
  if (!response?.ok)
    throw new Refusal(`Nothing answers at ${url}, or no console is served there: start "headway up" again.`);
  return ((await response.json()) as { readonly entry: string }).entry;
}

const readText = (path: string): Promise<string | null> =>
  readFile(path, "utf8").then(
    (text) => text.trim(),
    () => null,
  );
