import { lexiconStems, lexiconWords } from "./lexicon-words.ts";

/**
 * Words kept in an anonymous copy: words of the structure of a mail and of votes, without which quotes and votes could not be read. A word of
 * a person's name is replaced all the same.
 */
export const keptWords: ReadonlySet<string> = new Set(
  [
    // How a quote is introduced, and what stands above a forwarded mail
    "on at in wrote writes from to cc date sent subject message original forwarded begin end via",
    "am schrieb le a écrit ha scritto escribió op schreef skrev",
    // When
    "jan feb mar apr may jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun pm utc gmt",
    "january february march april june july august september october november december",
    "monday tuesday wednesday thursday friday saturday sunday",
    // What a subject says the mail is
    "re fw fwd aw sv antw wg patch pull rfc rfe vote votes result results discuss discussion proposal poll announce",
    "announcement ann call consensus cancel canceled cancelled notice security cve bug issue",
    // Addresses on the web; the last part of every pseudonymous one
    "http https www invalid",
  ].flatMap((line) => line.split(" ")),
);

/** Words that are also what people are called; a capital makes them a name. */
const alsoNames: ReadonlySet<string> = new Set(
  [
    "will mark may april june august grant bill rich art don sue pat drew frank ray rob jack bob chase dean earl guy hope",
    "joy faith grace max miles nick norm page penny rose sandy dawn victor wade ward chip dale gene mike matt pete tom van",
    "jan ann mat lance clay cliff dom ed al tim jim sam ben dan ken ron jon jo lee ash reed mason carter hunter",
  ].flatMap((line) => line.split(" ")),
);

const lexicon: ReadonlySet<string> = new Set(lexiconWords);
const stems: ReadonlySet<string> = new Set(lexiconStems);
const stemLengths = [...new Set(lexiconStems.map(({ length }) => length))];

/** Whether a word, in small letters, is one of those. */
export const isKept = (word: string): boolean =>
  keptWords.has(word) || lexicon.has(word) || stemLengths.some((length) => stems.has(word.slice(0, length)));

/** Whether a word that is kept is a name where it stands: "thanks to Will", "May Ek", not "will", "4 May" or "Will you". */
export function isNameHere(word: string, before: string, after: string): boolean {
  if (!alsoNames.has(word.toLowerCase()) || !/^\p{Lu}\p{Ll}/u.test(word)) return false;
  if (/\d[\s,.-]{0,3}$/.test(before) || /^[\s,.-]{0,3}\d|^['’]t/.test(after)) return false;
  return /[\p{L},] $/u.test(before) || /^ \p{Lu}\p{Ll}/u.test(after);
}
