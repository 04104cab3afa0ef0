import type { ReprocessFilter, ReprocessPlan } from "@headway/engine/operate";
import { type Desk, withDesk } from "../desk.ts";
import { parseWhere } from "../parse-where.ts";
import { parseSince } from "../past-moment.ts";
import type { Adding } from "../run.ts";
import { sharedFlags } from "../shared-options.ts";
import { showSpan } from "../show-time.ts";
import { type Column, type Console, showCount, showNumber, table } from "../terminal.ts";

export function addReprocess({ program, console }: Adding): void {
  program
    .command("reprocess")
    .description("Make results again; shows a plan without --apply")
    .option("--stage <name...>", "of these stages (default: all)")
    .option("--since <time>", "only results finished since: a date, a time, or an age such as 2d")
    .option(
      "--where <key=value...>",
      "only documents that contain this; of groups, those with a member that does",
    )
    .option("--stale", "only what the code, settings and models of this command would make differently")
    .option("--ids <id...>", "only these documents, or groups")
    .option("--apply", "do it")
    .option("--dry-run", "say what would be done, and change nothing: as without --apply")
    .option("--why <text>", "the reason, for the audit")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway reprocess --stage chunking --where list=quic
  headway reprocess --stale --apply --why "new embedding model"
  headway reprocess --stage parsing --since 2d --apply

Start workers with the new code or settings before --stale --apply: a worker skips what fits its own settings.
Old results stay until there are new ones. What comes out as before leads to nothing further down, so the numbers are the
most that can happen. --where year=2024 finds the number and the text; --where author.name=ann looks inside.`,
    )
    .action(async (options) => {
      const apply = options.apply === true && options.dryRun !== true;
      const act = async (desk: Desk) => {
        const filters = await filtersOf(desk, options);
        const plans: ReprocessPlan[] = [];
        for (const filter of filters) plans.push(await desk.operator.planReprocess(filter));
        if (!options.json) showPlan(plans, console);
        else if (!apply) for (const plan of plans) console.writeJson(plan);
        if (apply)
          await doIt(desk, { filters, plans, why: options.why, json: options.json === true, console });
        else if (!options.json && plans.some(isWork))
          console.warn("Nothing was changed; do it with --apply.\n");
      };
      // Only stale results need the exact settings: models are opened for their names.
      await withDesk(options, act, { exact: options.stale === true });
    });
}

const isWork = ({ owed, pending }: ReprocessPlan): boolean => owed + pending > 0;

interface Chosen {
  readonly stage?: readonly string[] | undefined;
  readonly since?: string | undefined;
  readonly where?: readonly string[] | undefined;
  readonly stale?: boolean | undefined;
  readonly ids?: readonly string[] | undefined;
}

async function filtersOf({ operator }: Desk, chosen: Chosen): Promise<ReprocessFilter[]> {
  const { since, where, stale, ids } = chosen;
  const stages = chosen.stage ?? (await operator.status()).map((one) => one.stage);
  const readings = where ? parseWhere(where, "--where") : [null];
  const rest = {
    ...(since !== undefined && { since: parseSince(since, "--since", operator.now()) }),
    ...(stale && { stale }),
    // In the audit a document's name has its collection as a prefix.
    ...(ids && { ids: [...new Set(ids.flatMap((id) => [id, id.slice(id.indexOf("/") + 1)]))] }),
  };
  return stages.flatMap((stage) =>
    readings.map((reading) => ({
      stage: stage.replace(/\.failed$/, ""),
      ...rest,
      ...(reading && { where: reading }),
    })),
  );
}

/** A token is about four characters; the real prompt depends on the stage. */
const charactersPerToken = 4;

function showPlan(plans: readonly ReprocessPlan[], console: Console): void {
  const work = plans.filter((plan) => isWork(plan) || plan.busy > 0);
  if (work.length === 0) {
    console.warn("No result fits.\n");
    return;
  }
  console.write(`${table(work, columns, console.columns)}\n`);
  for (const { stage, downstream, documents } of work) {
    const results = Object.entries(downstream).map(([name, some]) => `${name} ${showNumber(some)}`);
    const replaced = Object.entries(documents).map(([name, some]) => `${showNumber(some)} ${name}`);
    if (results.length > 0) console.write(`After ${stage}, at most: results of ${results.join(", ")}\n`);
    if (replaced.length > 0) console.write(`After ${stage}, at most: ${replaced.join(", ")} replaced\n`);
  }
}

const columns: readonly Column<ReprocessPlan>[] = [
  { title: "STAGE", of: ({ stage }) => stage },
  { title: "DOCUMENTS", of: ({ owed }) => showNumber(owed), align: "right" },
  { title: "OWED ALREADY", of: ({ pending }) => showNumber(pending), align: "right" },
  { title: "BUSY", of: ({ busy }) => showNumber(busy), align: "right" },
  { title: "CALLS ≤", of: ({ calls }) => showNumber(calls), align: "right" },
  {
    title: "INPUT",
    of: ({ inputCharacters: size }) => `~${showNumber(Math.ceil(size / charactersPerToken))} tokens`,
    align: "right",
  },
  {
    title: "TIME ≤",
    of: ({ estimatedMs: ms }) => (ms === null ? "unknown" : `~${showSpan(ms)}`),
    align: "right",
  },
];

interface Doing {
  readonly filters: readonly ReprocessFilter[];
  readonly plans: readonly ReprocessPlan[];
  readonly why: string | undefined;
  readonly json: boolean;
  readonly console: Console;
}

async function doIt({ operator }: Desk, { filters, plans, why, json, console }: Doing): Promise<void> {
  let [owed, busy] = [0, 0];
  for (const [index, filter] of filters.entries()) {
    if (!isWork(plans[index] as ReprocessPlan)) continue;
    const result = await operator.reprocess(filter, why === undefined ? {} : { why });
    if (json) console.writeJson({ stage: filter.stage, ...result });
    owed += result.owed + result.pending;
    busy += result.busy;
  }
  if (json || owed + busy === 0) return;
  console.write(`${showCount(owed, "result")} will be made anew.\n`);
  if (busy > 0) console.warn(`${showCount(busy, "is", "are")} being worked on and left alone; ask again.\n`);
  console.warn("See how it goes with: headway status --watch\n");
}
