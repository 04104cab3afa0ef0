import { DefinitionError } from "@headway/engine";
import { type ActKind, call, counted, plain } from "./planned.ts";

const words = {
  resolved: ["Resolve", "leaves the list and opens again when the error returns"],
  muted: ["Mute", "leaves the list and stays away however often the error returns; events are still counted"],
  open: ["Open again", "stands in the list of open errors again"],
} as const;

/** Acts on groups of reported errors. */
export const errorActs: Readonly<Record<string, ActKind>> = {
  async errorGroup(operator, { fingerprint, state, release }) {
    const groups = await operator.groupErrors({ limit: 1_000 });
    const group = groups.find((one) => one.fingerprint === fingerprint);
    if (!group || !Object.hasOwn(words, String(state)))
      throw new DefinitionError(`There is no group of errors "${fingerprint}".`);
    const [title, effect] = words[state as keyof typeof words];
    const given = typeof release === "string" && release !== "" ? release : undefined;
    const until =
      given === undefined ? [] : [`Events of release ${given} and older do not open the group again.`];
    return {
      ...plain,
      title: `${title}: ${group.errorType} in ${group.service}`,
      sentences:
        group.state === state
          ? [`The group is ${state} already.`]
          : [`The group of ${counted(group.count, "event")} ${effect}.`, ...until],
      count: group.state === state ? 0 : 1,
      button: title,
      async run(one, { why }) {
        const change = { state, why, ...(given !== undefined && { release: given }) };
        await call(one, "setErrorGroup", fingerprint, change);
        return { sentence: `The group is ${state}.`, act: null };
      },
    };
  },
};
