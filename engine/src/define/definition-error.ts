/** A person declared something impossible. One sentence, in the words of the declaration; the process does not start. */
export class DefinitionError extends Error {
  override readonly name = "DefinitionError";
}
