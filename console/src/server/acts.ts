import { DefinitionError } from "@headway/engine";
import type { AddedNote } from "@headway/engine/operate";
import { alertActs } from "./alert-acts.ts";
import { deadActs } from "./dead-acts.ts";
import { errorActs } from "./error-acts.ts";
import { keyActs } from "./key-acts.ts";
import { type ActKind, call, counted, type Fields, plain } from "./planned.ts";
import { sourceActs } from "./source-acts.ts";

/** Every act of the console, by the name that pages use. */
export const acts: Readonly<Record<string, ActKind>> = {
  ...deadActs,
  ...alertActs,
  ...errorActs,
  ...sourceActs,
  ...keyActs,

  async pause(operator, { stage }) {
    const dry = await call<{ changed: boolean; running: number }>(operator, "pauseStage", stage, undefined, {
      dryRun: true,
    });
    return {
      ...plain,
      title: `Pause ${stage}`,
      sentences: dry.changed
        ? [
            `No worker takes a document of ${stage} until somebody resumes the stage, not even after a restart.`,
            `${counted(dry.running, "document")} at work now will be finished.`,
          ]
        : [`${stage} is paused already.`],
      count: dry.changed ? 1 : 0,
      button: "Pause",
      async run(one, { why }) {
        await call(one, "pauseStage", stage, why);
        return { sentence: `${stage} is paused.`, act: null };
      },
    };
  },

  async resume(operator, { stage }) {
    const dry = await call<{ changed: boolean }>(operator, "resumeStage", stage, undefined, { dryRun: true });
    return {
      ...plain,
      title: `Resume ${stage}`,
      sentences: [dry.changed ? `Workers take documents of ${stage} again.` : `${stage} is not paused.`],
      count: dry.changed ? 1 : 0,
      button: "Resume",
      async run(one, { why }) {
        await call(one, "resumeStage", stage, why);
        return { sentence: `${stage} goes on.`, act: null };
      },
    };
  },

  async note(operator, { about }) {
    const dry = await call<AddedNote>(operator, "addNote", about, "a note", { dryRun: true });
    const name = `${dry.about.kind} ${dry.about.name}`;
    return {
      ...plain,
      title: `Note on ${name}`,
      sentences: ["The reason below is the note: it stands here and in the audit for ever."],
      count: 1,
      button: "Keep the note",
      async run(one, { why }) {
        await call(one, "addNote", about, why);
        return { sentence: `Noted on ${name}.`, act: null };
      },
    };
  },

  async retry(operator, { target }) {
    const dry = await call<{ stages: string[]; busy: string[] }>(operator, "retryNow", target, {
      dryRun: true,
    });
    const busy = dry.busy.length > 0 ? [`At work now, and left alone: ${dry.busy.join(", ")}.`] : [];
    return {
      ...plain,
      title: "Retry now",
      sentences: [
        dry.stages.length > 0
          ? `Due at once: ${dry.stages.join(", ")}.`
          : "Nothing waits and nothing is dead.",
        ...busy,
      ],
      count: dry.stages.length,
      button: "Retry now",
      async run(one, { why }) {
        const { stages } = await call<{ stages: string[] }>(one, "retryNow", target, { why });
        return { sentence: `Due now: ${stages.join(", ") || "nothing"}.`, act: null };
      },
    };
  },

  async cancel(operator, { target }) {
    const dry = await call<{ stages: string[] }>(operator, "cancel", target, { dryRun: true });
    return {
      ...plain,
      title: "Cancel open work",
      sentences: [
        dry.stages.length > 0
          ? `Becomes a dead letter: ${dry.stages.join(", ")}. Results of running attempts are refused.`
          : "No stage is open.",
      ],
      count: dry.stages.length,
      button: "Cancel the work",
      typed: dry.stages.length > 0 ? "cancel" : null,
      async run(one, { why }) {
        const { stages } = await call<{ stages: string[] }>(one, "cancel", target, { why });
        return { sentence: `Cancelled: ${stages.join(", ")}.`, act: null };
      },
    };
  },

  async delete(operator, { target }) {
    const dry = await call<{ deleted: boolean; derived: number }>(operator, "deleteDocument", target, {
      dryRun: true,
    });
    return {
      ...plain,
      title: "Delete the document",
      sentences: dry.deleted
        ? [
            `The document and ${counted(dry.derived, "document")} made from it disappear at once and for good.`,
          ]
        : ["The document is deleted already."],
      count: dry.deleted ? 1 : 0,
      button: "Delete",
      typed: dry.deleted ? "delete" : null,
      async run(one, { why }) {
        await call(one, "deleteDocument", target, { why });
        return { sentence: "Deleted, with all that came from it.", act: null };
      },
    };
  },

  async reprocess(operator, { filter }) {
    const dry = await call<{
      owed: number;
      busy: number;
      calls: number;
      estimatedMs: number | null;
      documents: Record<string, number>;
    }>(operator, "planReprocess", filter);
    const after = Object.entries(dry.documents).map(([name, count]) => `${count} ${name}`);
    const time =
      dry.estimatedMs === null
        ? "Too few results to say how long it takes."
        : `About ${Math.max(1, Math.round(dry.estimatedMs / 1_000))} s at the recent speed.`;
    return {
      ...plain,
      title: "Reprocess",
      sentences: [
        `${counted(dry.owed, "result")} made again in ${counted(dry.calls, "execution")}; the old results stay until replaced.`,
        ...(after.length > 0 ? [`May replace: ${after.join(", ")}.`] : []),
        time,
      ],
      count: dry.owed,
      button: "Reprocess",
      async run(one, { why }) {
        const { owed } = await call<{ owed: number }>(one, "reprocess", filter, { why });
        return { sentence: `${counted(owed, "result")} will be made again.`, act: null };
      },
    };
  },

  async policy(operator, { stage, kind, change }) {
    const named = { stage, kind, change };
    const before = (await operator.listPolicies()).find((one) => one.stage === stage && one.kind === kind);
    const after = await call<object>(operator, "setPolicy", named, { dryRun: true });
    const changed = Object.entries(after).filter(
      ([name, value]) => value !== (before?.policy as unknown as Fields | undefined)?.[name],
    );
    return {
      ...plain,
      title: `Retry policy of ${stage} for ${kind} faults`,
      sentences: changed.map(
        ([name, value]) =>
          `${name}: ${(before?.policy as unknown as Fields | undefined)?.[name] ?? "none"} → ${value ?? "none"}`,
      ),
      count: changed.length,
      button: "Change",
      async run(one, { why }) {
        await call(one, "setPolicy", { ...named, why });
        return { sentence: "Changed; workers follow within two seconds.", act: null };
      },
    };
  },

  async policyReset(operator, { stage, kind }) {
    const dry = await call<{ changed: boolean }>(operator, "resetPolicy", { stage, kind }, { dryRun: true });
    return {
      ...plain,
      title: `Give up the operator's policy of ${stage} for ${kind} faults`,
      sentences: [
        dry.changed ? "The policy of the code is in force again." : "No operator has set this policy.",
      ],
      count: dry.changed ? 1 : 0,
      button: "Reset",
      async run(one, { why }) {
        await call(one, "resetPolicy", { stage, kind, why });
        return { sentence: "The policy of the code is in force again.", act: null };
      },
    };
  },

  async free(operator, { worker }) {
    const found = (await operator.workers()).find((one) => one.id === worker);
    if (!found) throw new DefinitionError(`There is no worker ${worker} any more.`);
    const held = found.holds.reduce((sum, { tasks }) => sum + tasks, 0);
    return {
      ...plain,
      title: `Free worker ${worker}`,
      sentences: [
        `${counted(held, "document")} held by ${found.name} on ${found.host} can be taken by other workers at once; no attempt is counted.`,
        "If the worker lives, its late results are refused, and the worker continues under a new number.",
      ],
      count: 1,
      button: "Free",
      typed: String(worker),
      async run(one, { why }) {
        const freed = await call<{ freed: number } | null>(one, "freeWorker", worker, why);
        return {
          sentence: freed ? `${counted(freed.freed, "document")} freed.` : "The worker had gone already.",
          act: null,
        };
      },
    };
  },

  async purgeQuarantine(operator, { filter }) {
    const dry = await call<{ purged: number }>(operator, "purgeQuarantined", filter, { dryRun: true });
    return {
      ...plain,
      title: `Purge ${counted(dry.purged, "delivery", "deliveries")}`,
      sentences: [
        "The bytes are deleted for good. Nothing else is touched: quarantined deliveries never had an effect.",
      ],
      count: dry.purged,
      button: `Purge ${dry.purged}`,
      typed: dry.purged > 0 ? String(dry.purged) : null,
      async run(one, { why }) {
        const { purged } = await call<{ purged: number }>(one, "purgeQuarantined", filter, { why });
        return { sentence: `${purged} purged.`, act: null };
      },
    };
  },

  async verify() {
    return {
      ...plain,
      title: "Check every promise",
      sentences: ["Walks the whole ledger in pages and changes nothing. A large database takes minutes."],
      count: 1,
      button: "Check",
      async run(one) {
        const { ok, rows, first } = await one.verify();
        return {
          sentence: ok ? `All promises hold in ${rows} rows.` : `Broken: ${first?.sentence ?? "unknown"}`,
          act: null,
        };
      },
    };
  },
};
