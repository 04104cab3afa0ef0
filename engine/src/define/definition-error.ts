/**
 * An impossible declaration. One sentence in the author's own words; the process does not start.
 *
 * @example
 * import { DefinitionError, pipeline } from "@headway/engine";
 *
 * try {
 *   pipeline("empty", { stages: [] });
 * } catch (error) {
 *   if (error instanceof DefinitionError) console.log(error.message);
 * }
 */
export class DefinitionError extends Error {
  override readonly name = "DefinitionError";
}

/** The error of an optional package that is not installed, as a sentence; any other error as it is. */
export function packageError(error: unknown, { name, purpose }: { name: string; purpose: string }): unknown {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  if (code !== "MODULE_NOT_FOUND" && code !== "ERR_MODULE_NOT_FOUND") return error;
  return new DefinitionError(`The package ${name} is missing: run "npm install ${name}", ${purpose}.`);
}
