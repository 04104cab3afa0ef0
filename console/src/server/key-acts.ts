import { DefinitionError } from "@headway/engine";
import { recordAct } from "@headway/engine/internal";
import { addAccessKey, readAccessKeys, removeAccessKey, roles } from "./access-keys.ts";
import { type ActKind, plain } from "./planned.ts";

const daysMax = 3_650;

/** Acts on access keys: a key is shown once, and stored as its hash. */
export const keyActs: Readonly<Record<string, ActKind>> = {
  async addKey(_operator, fields, { data, database }) {
    const name = String(fields.name ?? "").trim();
    if (!/^[^\p{C}]{1,100}$/u.test(name))
      throw new DefinitionError("A name has 1 to 100 characters, and no control characters.");
    const role = roles.find((one) => one === fields.role);
    if (!role) throw new DefinitionError(`A role is one of ${roles.join(", ")}.`);
    const days = daysOf(fields.days);
    const known = (await readAccessKeys(data)).some((one) => one.name === name);
    return {
      ...plain,
      title: `Make a key for ${name}`,
      sentences: [
        role === "operator"
          ? `${name} may see and act.`
          : `${name} may see everything but settings, and act nowhere.`,
        days === null ? "The key is valid until somebody removes it." : `The key is valid for ${days} days.`,
      ],
      warnings: known ? [`${name} has a key: the old one ends at once.`] : [],
      count: 1,
      button: "Make the key",
      async run(_, { why, actor }) {
        const expiresAt = days === null ? null : new Date(Date.now() + days * 86_400_000);
        const key = await addAccessKey(data, { name, role, expiresAt });
        await recordAct(
          { database, actor },
          { act: "access.add", target: name, why, detail: { role, days } },
        );
        return { sentence: `Hand this key to ${name}; it is shown once: ${key}`, act: null };
      },
    };
  },

  async removeKey(_operator, fields, { data, database }) {
    const name = String(fields.name ?? "");
    const found = (await readAccessKeys(data)).find((one) => one.name === name);
    if (!found) throw new DefinitionError(`Nobody called "${name}" has a key.`);
    return {
      ...plain,
      title: `Remove the key of ${name}`,
      sentences: [`Sessions of the ${found.role} ${name} end at once.`],
      count: 1,
      button: "Remove",
      typed: name,
      async run(_, { why, actor }) {
        const removed = await removeAccessKey(data, name);
        if (removed)
          await recordAct({ database, actor }, { act: "access.remove", target: name, why, detail: {} });
        return {
          sentence: removed ? "The key is not valid any more." : "The key had gone already.",
          act: null,
        };
      },
    };
  },
};

function daysOf(given: unknown): number | null {
  if (given === undefined || given === null || given === "") return null;
  const days = Number(given);
  if (!Number.isInteger(days) || days < 1 || days > daysMax)
    throw new DefinitionError(`Days are a whole number from 1 to ${daysMax}.`);
  return days;
}
