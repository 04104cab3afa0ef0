/** How a command ends, for scripts. */
export const exitCodes = {
  done: 0,
  /** It could not do what it was asked to; one line says why. */
  refused: 1,
  usage: 2,
  /** Everything has settled, but some documents are dead: `headway ingest` says which. */
  deadLetters: 3,
} as const;

/** A person has to do something; the sentence says what. */
export class Refusal extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode: number = exitCodes.refused) {
    super(message);
    this.name = "Refusal";
    this.exitCode = exitCode;
  }
}
