/** An impossible declaration. One sentence in the author's own words; the process does not start. */
export class DefinitionError extends Error {
  override readonly name = "DefinitionError";
}
