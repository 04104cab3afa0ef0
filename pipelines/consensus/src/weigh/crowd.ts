import type { Person, Vote } from "./findings.ts";

/** From so many people on, it matters how many of them took a side. */
const crowd = 8;
const shareMin = 1 / 5;

/** Whether too few participants took a side; in a vote every person was asked, and silence is an answer. */
export const isFewOf = (
  voices: number,
  { people, votes }: { readonly people: readonly Person[]; readonly votes: readonly Vote[] },
): boolean => votes.length === 0 && people.length >= crowd && voices < people.length * shareMin;
