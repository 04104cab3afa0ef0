import type { Operator, RampStep } from "@headway/engine/operate";
import { type ActKind, call, counted, type Done, type Fields, type Planned, plain } from "./planned.ts";

/** Acts on dead letters. The filter gets a ceiling: letters that died after the dry run are left alone. */
export const deadActs: Readonly<Record<string, ActKind>> = {
  async requeue(operator, fields) {
    const filter = withCeiling(operator, fields.filter);
    const dry = await call<{ requeued: number; stages: Record<string, number> }>(
      operator,
      "requeueDead",
      filter,
      { dryRun: true },
    );
    const stages = Object.keys(dry.stages);
    const groups = await operator.groupDead({
      ...(stages.length === 1 && { stage: stages[0] as string }),
      limit: 1_000,
    });
    const known = groups.filter((one) => stages.includes(one.stage));
    const down = (await operator.status()).filter(
      ({ stage, shut }) => stages.includes(stage) && shut !== null,
    );
    return {
      ...plain,
      title: `Requeue ${counted(dry.requeued, "dead letter")}`,
      sentences: [
        `Goes back to: ${
          Object.entries(dry.stages)
            .map(([stage, letters]) => `${stage} ${letters}`)
            .join(", ") || "nothing"
        }, each with fresh attempts.`,
        "Letters that die from now on are left alone.",
      ],
      warnings: [
        ...down.map(({ stage, shut }) =>
          shut === "paused"
            ? `${stage} is paused: the documents will wait.`
            : `${shut} is down: documents of ${stage} would be held.`,
        ),
        ...(known.length > 0 && known.every((one) => !one.retry_suggested)
          ? ["The code is the same as at their death."]
          : []),
      ],
      count: dry.requeued,
      button: `Requeue ${dry.requeued}`,
      ramp: dry.requeued > 1,
      async run(one, { why, ramp }): Promise<Done> {
        if (!ramp) {
          const { requeued, skipped } = await call<{ requeued: number; skipped: number }>(
            one,
            "requeueDead",
            filter,
            { why },
          );
          return {
            sentence: `${requeued} requeued${skipped > 0 ? `, ${skipped} left alone` : ""}.`,
            act: null,
          };
        }
        const step = await call<RampStep>(one, "startRamp", filter, { why });
        return { sentence: `The ramp has begun with ${step.requeued}.`, act: step.ramp, ramp: step.ramp };
      },
    };
  },

  async continueRamp(_operator, { ramp, anyway = false }) {
    return {
      ...plain,
      title: `Continue ramp ${ramp}`,
      sentences: [anyway ? "Goes on although the same fault came back." : "Goes on with the next step."],
      count: 1,
      button: anyway ? "Continue anyway" : "Continue",
      async run(one) {
        const step = await call<RampStep>(one, "continueRamp", ramp, { anyway });
        return { sentence: `${step.requeued} requeued so far.`, act: step.ramp, ramp: step.ramp };
      },
    };
  },

  async stopRamp(_operator, { ramp }) {
    return {
      ...plain,
      title: `Stop ramp ${ramp}`,
      sentences: ["Letters sent back go on; the others stay dead until somebody continues the ramp."],
      count: 1,
      button: "Stop",
      async run(one, { why }) {
        const { changed } = await call<{ changed: boolean }>(one, "stopRamp", ramp, { why });
        return { sentence: changed ? "Stopped." : "The ramp had ended already.", act: null };
      },
    };
  },

  async resolve(operator, fields) {
    const filter = withCeiling(operator, fields.filter);
    return await planClosing(operator, filter, {
      verb: "resolveDead",
      name: "Resolve",
      sentence: "The letters stay readable and leave the list; their documents stay dead at this stage.",
      final: false,
    });
  },

  async purge(operator, fields) {
    const filter = withCeiling(operator, fields.filter);
    return await planClosing(operator, filter, {
      verb: "purgeDead",
      name: "Purge",
      sentence:
        "Inputs and faults of the letters are deleted for good; their documents stay dead at this stage.",
      final: true,
    });
  },
};

interface Closing {
  readonly verb: "resolveDead" | "purgeDead";
  readonly name: string;
  readonly sentence: string;
  readonly final: boolean;
}

async function planClosing(
  operator: Operator,
  filter: Fields,
  { verb, name, sentence, final }: Closing,
): Promise<Planned> {
  const dry = await call<{ closed: number }>(operator, verb, filter, { dryRun: true });
  return {
    ...plain,
    title: `${name} ${counted(dry.closed, "dead letter")}`,
    sentences: [sentence, "Letters that die from now on are left alone."],
    count: dry.closed,
    button: `${name} ${dry.closed}`,
    typed: final && dry.closed > 0 ? String(dry.closed) : null,
    async run(one, { why }) {
      const { closed } = await call<{ closed: number }>(one, verb, filter, { why });
      return { sentence: `${closed} ${name.toLowerCase()}d.`, act: null };
    },
  };
}

/** Only letters dead at the moment of the dry run. */
function withCeiling(operator: Operator, filter: unknown): Fields {
  // The filter takes letters older than the ceiling; a letter may have died at the very moment.
  const ceiling = new Date(operator.now().getTime() + 1);
  return { olderThan: ceiling.toISOString(), ...(filter as Fields) };
}
