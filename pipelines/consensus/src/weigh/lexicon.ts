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
  /** What "not" makes of it, when that is not simply the other side. */
  readonly negated?: { readonly lean: -1 | 0 | 1; readonly strength: number } | "nothing";
  /** It is about what somebody else said, and leans as they do. */
  readonly relation?: true;
  /** Whose words it must be, where "we" (or nobody) mostly means something else; anybody's when not given. */
  readonly said?: "by me" | "by me or bare";
}
