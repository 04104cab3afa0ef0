import type { Named, Operator } from "@headway/engine/operate";
import { findNamed } from "./find-named.ts";

/**
 * The target document or group of an act. Here `--stage` selects the stage of the act; a group is also found by its
 * own stage.
 */
export async function whichDocument(
  operator: Operator,
  id: string,
  { collection, stage }: { readonly collection?: string | undefined; readonly stage?: string | undefined },
  command: string,
): Promise<Named> {
  if (stage !== undefined && collection === undefined) {
    const { found } = await operator.lookUp(id, { stage });
    if (found[0]) return found[0];
  }
  return await findNamed(operator, id, { collection }, command);
}

/** `letters/box-one`, as in the audit. */
export const nameOf = ({ collection, stage, id }: Named): string => `${collection ?? stage}/${id}`;
