import type { Queryable } from "../store/database.ts";
import { type DocumentRow, findUngrouped } from "../store/documents.ts";
import { joinGroups } from "../store/groups.ts";
import { makeNumbers } from "../store/numbers.ts";
import { forgetMarkers } from "../store/reaper.ts";
import { oweAgain, oweNew } from "../store/tasks.ts";
import {
  type Broken,
  dropDeadClaims,
  dropMembers,
  dropRevived,
  dropRows,
  dropShares,
  recount,
} from "../store/verify.ts";
import { type Operating, perform, readCode, readDirectory, record, tellWork } from "./context.ts";
import type { Finding } from "./invariants.ts";

const detailMax = 100;

/** Repairs everything that needs no guessing; returns the count. The rest is left for a person. */
export async function repairPage(
  context: Operating,
  { invariant, broken }: Finding,
  why?: string,
): Promise<number> {
  const repaired = await perform(context, async (tx) => {
    const count = await repair(tx, context, { invariant, broken });
    const subjects = broken.slice(0, detailMax).map((one) => one.subject);
    const detail = { repaired: count, found: broken.length, subjects };
    if (count > 0) await record(tx, context, { act: "ledger.repair", target: invariant, why, detail });
    return count;
  });
  if (repaired > 0)
    await tellWork(
      context,
      broken.map((one) => one.stage).filter((one) => one > 0),
    );
  return repaired;
}

async function repair(
  tx: Queryable,
  context: Operating,
  { invariant, broken }: Pick<Finding, "invariant" | "broken">,
): Promise<number> {
  const now = context.clock.now();
  const owed = broken.map(({ subject, stage, other }) => {
    return { subject, stage, rank: invariant === "stage-not-owed" ? (other ?? 0) : 0 };
  });
  switch (invariant) {
    case "task-of-nothing":
    case "result-of-nothing":
    case "dead-letter-of-nothing":
      return await dropRows(tx, invariant, broken);
    case "waiting-and-dead":
      return await dropRevived(tx, broken);
    case "member-of-nothing":
      return await dropMembers(tx, broken);
    case "share-of-nothing":
      return await dropShares(tx, broken);
    case "outputs-miscounted":
      return await recount(tx, broken);
    case "stage-not-owed":
    case "group-without-record":
      await oweNew(tx, owed, now);
      return owed.length;
    case "marker-wrong":
      await forgetMarkers(tx, broken);
      await oweAgain(
        tx,
        owed.map((one) => ({ ...one, readyAt: now, reason: null })),
        now,
      );
      return owed.length;
    case "member-missing":
      return await rejoin(tx, context, broken, now);
    case "claim-broken":
      return await dropDeadClaims(tx);
    case "document-without-producer":
    case "content-changed":
    case "ledger-unbalanced":
      return 0;
  }
}

/**
 * Only the code of a stage knows the group of a document; without the code, the sweep of an engine has to do this.
 */
async function rejoin(
  tx: Queryable,
  context: Operating,
  broken: readonly Broken[],
  now: Date,
): Promise<number> {
  const directory = await readDirectory({ database: tx });
  const codeOf = await readCode({ ...context, database: tx });
  const numbers = makeNumbers();
  let joined = 0;
  for (const stage of directory.stages) {
    const mine = new Set(broken.filter((one) => one.stage === stage.id).map((one) => one.subject));
    const code = codeOf(stage.name);
    const first = Math.min(...mine);
    if (!code?.per || mine.size === 0) continue;
    const page = { collection: stage.reads, stage: stage.id, after: first - 1, limit: 1_000 };
    const { missing } = await findUngrouped(tx, page);
    const { per, quietMs } = code;
    const joining = missing
      .filter((one) => mine.has(one.subject))
      .map(({ subject, id, body, rank, request }: DocumentRow & { rank: number }) => ({
        document: subject,
        stage: stage.id,
        key: per({ ...body, id }),
        quietMs,
        rank,
        request,
      }));
    if (joining.length > 0) await joinGroups(tx, joining, numbers, now);
    joined += joining.length;
  }
  return joined;
}
