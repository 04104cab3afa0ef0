/** Exit codes, for scripts. */
export const exitCodes = {
  done: 0,
  /** The command failed; one line says why. */
  refused: 1,
  usage: 2,
  /** Everything has settled, but some documents are dead: `headway ingest` lists them. */
  deadLetters: 3,
} as const;

/** A person has to act; the sentence says how. */
export class Refusal extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode: number = exitCodes.refused) {
    super(message);
    this.name = "Refusal";
    this.exitCode = exitCode;
  }
}
