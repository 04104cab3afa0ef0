import { readFormer } from "../store/former-content.ts";
import type { Operating } from "./context.ts";
import { findTarget, type Target } from "./targets.ts";

/** The content that the present one of a document replaced, and why. */
export interface Former {
  readonly body: object;
  readonly since: Date;
  readonly until: Date;
  /** Changed parts of the completion marker: input, version, configuration, model; or the source. */
  readonly because: readonly string[];
}

/** The content before the present one; null: it never changed, or the former one is not kept. */
export async function former(context: Operating, target: Target): Promise<Former | null> {
  const { row } = await findTarget(context, target);
  const found = await readFormer(context.database, row.subject);
  if (!found) return null;
  const { body, since_at: since, until_at: until, made } = found;
  const change = (name: string, then: string | null, now: string | null) =>
    then !== null && now !== null && then !== now ? [`${name} ${then || "none"} → ${now || "none"}`] : [];
  return {
    body,
    since,
    until,
    because: made
      ? [
          ...(found.input_changed ? ["input"] : []),
          ...change("version", found.version_then, found.version_now),
          ...change("model", found.model_then, found.model_now),
          ...(found.config_changed ? ["configuration"] : []),
        ]
      : ["source"],
  };
}
