/**
 * How people on mailing lists say where they stand. Each row is a pattern over plain words (see plain-words.ts), which
 * way it leans (1 for, -1 against, 0 neither), how outspoken it is (0 to 1), and the rule in words for the reader.
 *
 * Four tables, because they are read differently (see stances.ts):
 *
 * | table       | must belong to                         | a "not" before it        |
 * |-------------|----------------------------------------|--------------------------|
 * | `avowals`   | I or we, or begin its clause           | turns it round           |
 * | `reserve`   | the same; takes no side, or another's     | mostly ends it           |
 * | `judgments` | anything, unless somebody else says so | turns it round           |
 * | `turns`     | my objection, my concerns, my vote     | takes or turns it round  |
 */
export interface Expression {
  readonly pattern: string;
  readonly lean: -1 | 0 | 1;
  readonly strength: number;
  readonly because: string;
  /** Effect of "not", if not simply the opposite. */
  readonly negated?: { readonly lean: -1 | 0 | 1; readonly strength: number } | "nothing";
  /** Refers to another person's words, and leans the same way. */
  readonly relation?: true;
  /** Required speaker, where "we" (or no subject) mostly means something else; any by default. */
  readonly said?: "by me" | "by me or bare";
}
