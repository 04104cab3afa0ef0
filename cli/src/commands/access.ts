import { mkdir } from "node:fs/promises";
import { Option } from "@commander-js/extra-typings";
import {
  type AccessKey,
  addAccessKey,
  readAccessKeys,
  removeAccessKey,
  reportRole,
  roles,
} from "@headway/console";
import { Refusal } from "../exit-codes.ts";
import type { Adding } from "../run.ts";
import { parseCount, placeOf, sharedFlags } from "../shared-options.ts";
import { type Column, oneLine, table } from "../terminal.ts";

/** Keys of people and machines for the web console and the operators' address. */
const aboutRoles = "a reader sees, an operator acts, report sends errors of a service and does nothing else";

export function addAccess({ program, console }: Adding): void {
  const access = program
    .command("access")
    .description("Grant and revoke access keys of the web console")
    .addHelpText(
      "after",
      `
Examples:
  headway access add ann --role reader --days 90
  headway access list
  headway access remove ann`,
    );
  access
    .command("add")
    .description("Make a key; it is shown once")
    .argument("<name>", "whose key it is: the name in the audit")
    .addOption(
      new Option("--role <role>", aboutRoles).choices([...roles, reportRole]).default("reader" as const),
    )
    .option("--days <number>", "how long it is valid (default: until removed)")
    .option(...sharedFlags.data)
    .addHelpText("after", `\nExamples:\n  headway access add ann --role reader --days 90`)
    .action(async (name, options) => {
      if (!/^[^\p{C}]{1,100}$/u.test(name))
        throw new Refusal("A name has 1 to 100 characters, and no control characters.", 2);
      const { data } = placeOf(options);
      const days = options.days === undefined ? null : parseCount(options.days, "--days", 3_650);
      const expiresAt = days === null ? null : new Date(Date.now() + days * 86_400_000);
      await mkdir(data, { recursive: true, mode: 0o700 });
      const key = await addAccessKey(data, { name, role: options.role, expiresAt });
      console.write(`${key}\n`);
      console.warn(
        `Hand it to ${oneLine(name)}: it is kept nowhere. The console asks for it; machines send "Authorization: Bearer KEY".\n`,
      );
    });
  access
    .command("list")
    .description("List the keys, without the keys themselves")
    .option(...sharedFlags.data)
    .option(...sharedFlags.json)
    .action(async (options) => {
      const keys = (await readAccessKeys(placeOf(options).data)).map(({ sha256: _, ...key }) => key);
      if (options.json) return keys.forEach(console.writeJson);
      if (keys.length === 0) return console.warn("Nobody has a key.\n");
      console.write(`${table(keys, columns, console.columns)}\n`);
    });
  access
    .command("remove")
    .description("Take a key back; its sessions end at once")
    .argument("<name>", "whose key")
    .option(...sharedFlags.data)
    .action(async (name, options) => {
      if (!(await removeAccessKey(placeOf(options).data, name)))
        throw new Refusal(`Nobody called "${oneLine(name)}" has a key; "headway access list" shows who has.`);
      console.warn(`The key of ${oneLine(name)} is not valid any more.\n`);
    });
}

const columns: readonly Column<Omit<AccessKey, "sha256">>[] = [
  { title: "NAME", of: ({ name }) => name },
  { title: "ROLE", of: ({ role }) => role },
  { title: "ADDED", of: ({ addedAt }) => addedAt.slice(0, 10) },
  { title: "UNTIL", of: ({ expiresAt }) => expiresAt?.slice(0, 10) ?? "removed" },
];
