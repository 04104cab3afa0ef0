/**
 * A sentence that the compiler shows where a program is wrong: `Type 'number' is not assignable to type
 * 'Instead<"declare it by batchStage() …">'`. No value has this type.
 */
export interface Instead<Sentence extends string> {
  readonly [sentence]: Sentence;
}

declare const sentence: unique symbol;
