/** Words that are frequent in one language and rare in the others. */
const profiles = {
  english: "the and of to is for with that this are be from not must when it on by an or",
  german: "der die das und ist nicht mit von den zu im auf für ein eine wird werden bei sind oder",
  french: "le la les et est des une dans pour pas sur avec du au sont par ou être vous ne",
  spanish: "el la los las y es una en para no con del por que se al o su debe está",
  portuguese: "o a os as e é uma em para não com do da que se ao dos das ou deve",
  italian: "il la gli e è una in per non con del della che si al di o sono deve nel",
} as const;

export type Language = keyof typeof profiles | "simple";

const sets = new Map(Object.entries(profiles).map(([name, words]) => [name, new Set(words.split(" "))]));

/** Words of questions and sentences that say nothing about their subject, in all languages known here. */
export const stopWords: ReadonlySet<string> = new Set([
  ...Object.values(profiles).flatMap((words) => words.split(" ")),
  ..."what which how do does did i my can if a as at in me you your we where why who was were has have had will would should there".split(
    " ",
  ),
  ..."wie was wo wann warum kann ich man es dem des einen einem como qual quais onde quando porque eu um no na nos nas".split(
    " ",
  ),
  ..."comment quoi quel quelle où quand pourquoi je un qué cuál cómo dónde cuándo come quale dove quando perché".split(
    " ",
  ),
]);

/** The language of a text by its small words; `simple` where these do not tell. PostgreSQL knows it by the same name. */
export function tellLanguage(text: string): Language {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const counts = [...sets].map(([name, set]) => ({
    name: name as Language,
    count: words.filter((word) => set.has(word)).length,
  }));
  const [best, second] = counts.sort((one, other) => other.count - one.count);
  if (!best || best.count < 3 || best.count < words.length * 0.05) return "simple";
  return second && second.count === best.count ? "simple" : best.name;
}
