import { type Commitment, quoteFrom } from "./findings.ts";
import type { PostReading } from "./read-post.ts";
import { isByRobot } from "./robots.ts";

const commitmentsMax = 40;
const sentencesMax = 120;

/** "Good catch, fixed in the editor's copy": changes promised or reported by the author of an answer. */
export function findCommitments(readings: readonly PostReading[]): readonly Commitment[] {
  return readings.flatMap(commitmentsOf).slice(0, commitmentsMax);
}

function commitmentsOf({ post, author, ownWords, sentences, call }: PostReading): readonly Commitment[] {
  if (post.parent === null || call !== null || isByRobot(post)) return [];
  const found = sentences.slice(0, sentencesMax).find(({ start, end }) => {
    if (end - start > lengthMax) return false;
    const sentence = ownWords.slice(start, end).replace(/\s+/g, " ").replaceAll("’", "'").trim();
    return promises.test(sentence) && !open.test(sentence);
  });
  return found === undefined ? [] : [{ by: author, ...quoteFrom(post, found) }];
}

const lengthMax = 400;
const change =
  "(?:fix|add|change|update|remove|revise|rename|rework|respin|re-?send|re-?post|incorporate|clarify|address|correct|rewrite|reword|drop|merge|document|include|split|submit|prepare|apply|commit|adjust|implement|replace|put (?:it|this|that) in|do (?:that|so|it|this)|open an? (?:pr|issue|ticket|pull request)|file an? (?:bug|issue|ticket)|send (?:out )?(?:an? )?(?:v\\d|new|another|updated|patch|fix|respin)|take care of|make (?:the|that|this|it|these) )";
const soon =
  "(?:then |also |certainly |definitely |just |now |try to |make sure to |be sure to |go ahead and ){0,2}";
const version =
  "(?:the )?(?:editor'?s?'? (?:copy|draft)|my (?:local )?(?:copy|tree|branch)|git|svn|cvs|trunk|master|main|next (?:version|revision|draft|release)|v\\d+|-\\d\\d|r\\d+|revision \\d+|pr ?#?\\d+|pull request ?#?\\d+|#\\d+)";
const promises = new RegExp(
  [
    `\\bi(?:'ll| will|'m going to| am going to) ${soon}(?:${change}|rebase|move|start from scratch|report back|(?:have|take) a look)`,
    "^(?:[\\w ,]{1,12}[,.!] )?(?:i(?:'ve| have)? (?:just |now |also ){0,2}|just )(?:fixed|pushed|updated|corrected|rewritten|rewrote|resent|reworked|opened (?:a |an )?(?:pr|pull|issue|ticket)|submitted (?:a )?patch|created a patch)",
    "^(?:yeah |yes |sure |ok )?[, ]{0,2}(?:i'm )?resending\\b",
    "\\bopened https?://\\S{5,200}/(?:pull|merge_requests)/",
    `^(?:\\W{0,3}(?:ok|okay|sure|yes|yep|thanks|thank you|right|ah|oops|good (?:catch|point|idea)|agreed|great|noted|ack|fair enough)[,.!: -]{0,3}){0,3}will ${soon}(?:${change}|do\\b)`,
    `^(?:\\W{0,3}(?:ok|okay|sure|yes|thanks|thank you|right|ah|oops|good (?:catch|point|idea)|nice catch|agreed|great)[,.!: -]{1,3}){0,3}(?:fixed|done|updated|changed|added|removed|corrected|incorporated|addressed)(?:[.,!]|$| (?:in|now|that|this|it|as|both|all)\\b)`,
    `\\b(?:fixed|added|changed|updated|corrected|done|committed|addressed|incorporated|removed|clarified) (?:(?:this|that|it|these|them) )?(?:in|to|by|with|as) ${version}`,
    `\\b(?:will|'ll) (?:be )?(?:${change}|fixed|added|changed|updated|corrected|addressed) [^.?!]{0,60}\\bin ${version}`,
  ].join("|"),
  "i",
);
/** Asked, supposed, refused, or told of others. */
const open =
  /\?\s*$|\b(?:if (?:so|you|we|i|there|that|nobody|no one)|unless|would|could|maybe|perhaps|might|when i (?:get|have)|not|never|someday|one day)\b|n't\b/i;
