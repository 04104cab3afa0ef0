import { type ActKind, call, counted, type Fields, plain } from "./planned.ts";

/** Acts on alerts and their rules. */
export const alertActs: Readonly<Record<string, ActKind>> = {
  async ackAlert(operator, { id }) {
    const dry = await call<{ changed: boolean }>(operator, "ackAlert", id, { dryRun: true });
    return {
      ...plain,
      title: `Acknowledge alert ${id}`,
      sentences: [
        dry.changed
          ? "You care for it: no more reminders are sent. It is resolved by itself when it is over."
          : "It is acknowledged or resolved already.",
      ],
      count: dry.changed ? 1 : 0,
      button: "Acknowledge",
      async run(one, { why }) {
        await call(one, "ackAlert", id, { why });
        return { sentence: "Acknowledged.", act: null };
      },
    };
  },

  async muteAlert(operator, { id, span }) {
    const dry = await call<{ changed: boolean }>(operator, "muteAlert", id, { for: span, dryRun: true });
    return {
      ...plain,
      title: `Mute alert ${id} for ${span}`,
      sentences: [
        dry.changed
          ? "Nothing is sent about it meanwhile; what happens is counted all the same."
          : "It is resolved already.",
      ],
      count: dry.changed ? 1 : 0,
      button: "Mute",
      async run(one, { why }) {
        await call(one, "muteAlert", id, { for: span, why });
        return { sentence: `Muted for ${span}.`, act: null };
      },
    };
  },

  async alertRule(operator, { name, change }) {
    const before = (await operator.listAlertRules()).find((one) => one.name === name) as Fields | undefined;
    const after = await call<Fields>(operator, "setAlertRule", { name, change }, { dryRun: true });
    const changed = Object.entries(after).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(before?.[field]),
    );
    return {
      ...plain,
      title: before ? `Change the rule ${name}` : `Make the rule ${name}`,
      sentences: changed.map(([field, value]) => `${field}: ${shown(before?.[field])} → ${shown(value)}`),
      count: changed.length,
      button: before ? "Change" : "Make",
      async run(one, { why }) {
        await call(one, "setAlertRule", { name, change, why });
        return {
          sentence: `${counted(changed.length, "field")} changed; the next judgement follows it.`,
          act: null,
        };
      },
    };
  },

  async alertRuleReset(operator, { name }) {
    const dry = await call<{ changed: boolean }>(operator, "resetAlertRule", { name }, { dryRun: true });
    return {
      ...plain,
      title: `Give up the operator's rule ${name}`,
      sentences: [
        dry.changed
          ? "The shipped rule of that name applies again, or none."
          : "No operator has set this rule.",
      ],
      count: dry.changed ? 1 : 0,
      button: "Reset",
      async run(one, { why }) {
        await call(one, "resetAlertRule", { name, why });
        return { sentence: "Reset.", act: null };
      },
    };
  },
};

const shown = (value: unknown): string =>
  value === null || value === undefined
    ? "none"
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value);
