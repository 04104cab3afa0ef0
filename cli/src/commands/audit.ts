import type { AuditRow } from "@headway/engine/operate";
import { withDesk } from "../desk.ts";
import type { Adding } from "../run.ts";
import { parseCount, parseDate, sharedFlags } from "../shared-options.ts";
import { showMoment } from "../show-time.ts";
import { type Column, showCount, table } from "../terminal.ts";

export function addAudit({ program, console }: Adding): void {
  program
    .command("audit")
    .description("Show acts of operators, newest first")
    .option("--since <date>", "only since then")
    .option("--actor <name>", "only by this person")
    .option("--act <name>", "only this act (dead.requeue), or this kind (dead)")
    .option("--limit <number>", "how many", "30")
    .option("--before <number>", "only those before this one, to go on")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway audit --since 2026-07-01 --actor ann
  headway audit --act policy
  headway audit --json --limit 1000 > audit.ndjson

Every act of a person is kept for ever. Your own name in it is your login, or HEADWAY_ACTOR.`,
    )
    .action(async (options) => {
      const { since, actor, act, limit, before, json } = options;
      const filter = {
        ...(since !== undefined && { since: parseDate(since, "--since") }),
        ...(actor !== undefined && { actor }),
        ...(act !== undefined && { act }),
        ...(before !== undefined && { after: parseCount(before, "--before", Number.MAX_SAFE_INTEGER) }),
        limit: parseCount(limit, "--limit", 100_000),
      };
      const rows = await withDesk(options, ({ operator }) => operator.audit(filter));
      if (json) return rows.forEach(console.writeJson);
      if (rows.length === 0)
        return console.warn(
          `${Object.keys(filter).length > 1 ? "No act fits" : "Nobody has intervened yet"}.\n`,
        );
      console.write(`${table(withoutSteps(rows), columns, console.columns)}\n`);
      const more =
        rows.length === filter.limit ? ` Go on with: headway audit --before ${rows.at(-1)?.id}` : "";
      console.warn(`${showCount(rows.length, "act")}.${more}\n`);
    });
}

/** A ramp is one act of a person: of its steps the newest stands for all; --json has each. */
export function withoutSteps(rows: readonly AuditRow[]): AuditRow[] {
  const seen = new Set<number>();
  return rows.filter(({ id, act, detail }) => {
    if (act !== "dead.ramp") return true;
    const ramp = (detail as { ramp?: number | null }).ramp ?? id;
    const isFirst = !seen.has(ramp);
    seen.add(ramp);
    return isFirst;
  });
}

const columns: readonly Column<AuditRow>[] = [
  { title: "ID", of: ({ id }) => String(id), align: "right" },
  { title: "AT", of: ({ at }) => showMoment(at) },
  { title: "WHO", of: ({ actor }) => actor },
  { title: "ACT", of: ({ act }) => act },
  { title: "ON", of: ({ target }) => target },
  { title: "WHY", of: ({ why }) => why ?? "", flexible: true },
];
