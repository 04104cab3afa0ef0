import type { Person, Vote } from "./findings.ts";

/** From so many people on, it matters how many of them took a side. */
const crowd = 8;
const shareMin = 1 / 5;

/** Whether those who took a side are too few of those who took part; a vote asks everybody, and silence is an answer. */
export const isFewOf = (
  voices: number,
  { people, votes }: { readonly people: readonly Person[]; readonly votes: readonly Vote[] },
): boolean => votes.length === 0 && people.length >= crowd && voices < people.length * shareMin;
