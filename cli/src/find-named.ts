import type { Named, Operator } from "@headway/engine/operate";
import { Refusal } from "./exit-codes.ts";
import { oneLine } from "./terminal.ts";

/** Options that narrow down a document's name. */
export interface Naming {
  readonly collection?: string | undefined;
  /** A fan-in stage, for one of its groups. */
  readonly stage?: string | undefined;
}

/** The only document or group of this name. Several, or only similar names: says what to type. */
export async function findNamed(
  operator: Operator,
  id: string,
  naming: Naming,
  command: string,
): Promise<Named> {
  const found = await findAllNamed(operator, id, naming, command);
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  const places = found.map((one) => one.collection ?? `the groups of ${one.stage}`).join(", ");
  throw new Refusal(`"${oneLine(id)}" is in ${places}; say which:${commandsFor(found, command)}`);
}

/** Every document and group of a name, for read-only commands: one id in several collections is normal. */
export async function findAllNamed(
  operator: Operator,
  id: string,
  naming: Naming,
  command: string,
): Promise<readonly Named[]> {
  const { found, near } = await operator.lookUp(id, naming);
  if (found.length > 0) return found;
  const where = naming.collection ?? naming.stage;
  const nothing = `There is no document or group "${oneLine(id)}"${where === undefined ? "" : ` in ${where}`}`;
  if (near.length === 0) throw new Refusal(`${nothing}; headway documents lists what there is.`);
  throw new Refusal(`${nothing}; did you mean:${commandsFor(near, command)}`);
}

const commandsFor = (names: readonly Named[], command: string): string =>
  names.map((one) => `\n  ${command} ${namingWords(one)}`).join("");

/** A document or group as command-line words. */
export function namingWords({ collection, stage, id }: Pick<Named, "collection" | "stage" | "id">): string {
  const place =
    collection !== null ? `--collection ${shellWord(collection)}` : `--stage ${shellWord(stage ?? "")}`;
  // Distinguishes an id with a leading dash from an option.
  return id.startsWith("-") ? `${place} -- ${shellWord(id)}` : `${shellWord(id)} ${place}`;
}

/** A word quoted for a shell if necessary. */
export function shellWord(text: string): string {
  const plain = oneLine(text);
  return /^[\w@%+=:,./-]+$/.test(plain) ? plain : `'${plain.replaceAll("'", `'\\''`)}'`;
}
