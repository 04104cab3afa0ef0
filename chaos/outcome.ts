import { type Consensus, exportable, exportRows, readSettings, startConsensus } from "@headway/consensus";
import { openOperator } from "../engine/src/operate.ts";
import type { Violation } from "./evidence.ts";

/** What a user gets of an archive: each exported row by kind and id, and each dead letter, as lines. */
export type Outcome = ReadonlyMap<string, string>;

/** Reads the current state: no worker runs, nothing is requeued. */
export async function readOutcome({ engine }: Pick<Consensus, "engine">): Promise<Outcome> {
  const lines = new Map<string, string>();
  for (const kind of exportable) {
    let at = 0;
    for await (const row of exportRows(engine, kind)) {
      const text = JSON.stringify(row);
      const { id } = JSON.parse(text) as { id?: string };
      lines.set(`${kind} ${id ?? at}`, text);
      at += 1;
    }
  }
  const operator = await openOperator({ database: engine.database, actor: "chaos" });
  for (const { document, stage, code } of await operator.listDead({ limit: 10_000 }))
    lines.set(`dead letter of ${stage}: ${document}`, code);
  return lines;
}

/** The same for a place without a running process. */
export async function readOutcomeAt(
  where: Pick<Parameters<typeof startConsensus>[0], "data" | "database">,
): Promise<Outcome> {
  const consensus = await startConsensus({ ...where, settings: readSettings({}), work: false });
  try {
    return await readOutcome(consensus);
  } finally {
    await consensus.stop();
  }
}

/** Rows and dead letters in which two outcomes differ. */
export function compareOutcomes(found: Outcome, wanted: Outcome): Violation[] {
  const violations: Violation[] = [];
  const add = (promise: string, harm: Violation["harm"], story: string) =>
    violations.push({ promise, harm, story });
  for (const [name, text] of wanted) {
    const have = found.get(name);
    if (have === undefined) add("Nothing lost", "lost", `${name} is missing`);
    else if (have !== text)
      add("Nothing differs", "lost", `${name} is ${cut(have)}, undisturbed ${cut(text)}`);
  }
  for (const [name, text] of found)
    if (!wanted.has(name)) add("Nothing more than undisturbed", "doubled", `${name}: ${cut(text)}`);
  return violations;
}

const cut = (text: string) => (text.length > 160 ? `${text.slice(0, 160)}…` : text);
