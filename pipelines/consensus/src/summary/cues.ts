/** Role of a sentence in a discussion, by its words alone. */
export interface Cues {
  /** From 0 to 1: decides, proposes, objects, agrees or gives a reason. */
  readonly weight: number;
  /** Nothing about the matter: thanks, greetings, headers, footers, links. */
  readonly isIdle: boolean;
}

export function readCues(sentence: string): Cues {
  const head = sentence.slice(0, cueLengthMax);
  const weight = acts.reduce((sum, [cue, worth]) => sum + (cue.test(head) ? worth : 0), 0);
  return { weight: Math.min(1, weight / 2), isIdle: idle.some((sign) => sign.test(head)) };
}

const cueLengthMax = 600;

/** Words and phrases between bars, as whole words in either case. */
const anyWord = (...phrases: readonly string[]): RegExp => new RegExp(`\\b(?:${phrases.join("|")})\\b`, "i");

const decides = anyWord(
  "consensus|decided?|decision|agreed (?:to|that|on)|resolved|resolution|conclu\\w+",
  "we will|we'll|adopt(?:ed|ion)?|accepted|approved|rejected|withdr\\w+|vote[ds]?|last call|passe[ds]|closed",
);
const proposes = anyWord(
  "propos\\w+|suggest\\w*|recommend\\w*|how about|what about|why not|let's|let us",
  "should(?:n't)?|ought|instead|rather than|would like|i'd like|we could|needs? to|must|plan(?:ned)? to",
);
const objects = anyWord(
  "object\\w*|oppos\\w+|disagree\\w*|concern\\w*|problem\\w*|issue|against|however|but",
  "unfortunately|wrong|broken|don't think|do not think|can't|cannot|not sure|risk\\w*|fails?|harm\\w*",
);
const agrees = anyWord(
  "agree\\w*|support\\w*|in favou?r|sounds good|makes sense|good idea|fine with",
  "happy with|i like|endorse\\w*",
);
const reasons = anyWord(
  "because|since|therefore|thus|reason\\w*|so that|in order to|otherwise|means that|which means",
  "i (?:think|believe|feel)|in my (?:opinion|view)|imo|imho",
);
const acts: readonly (readonly [RegExp, number])[] = [
  [decides, 1],
  [proposes, 1],
  [objects, 0.7],
  [agrees, 0.7],
  [reasons, 0.5],
];

const headers =
  "from|to|cc|date|sent|subject|message-id|reply-to|organi[sz]ation|phone|tel|fax|mobile|e-?mail|www|url";
const idle: readonly RegExp[] = [
  /^(?:hi|hello|hey|dear|hallo|greetings|good (?:morning|afternoon|evening|day))\b.{0,40}$/i,
  /^(?:(?:best|kind|warm|many|with) )?(?:regards|wishes|thanks|cheers|greetings)\b.{0,30}$/i,
  /^(?:many |much )?(?:thanks|thank you|thx|tia)\b.{0,60}$/i,
  /^(?:sincerely|yours|ciao|mfg|cheers|best)\b.{0,24}$/i,
  new RegExp(`^(?:${headers})\\s?:`, "i"),
  /^(?:at|on|in|am|le|el)\b.{4,80}\b(?:wrote|writes|schrieb|said|écrit|escribió)\s?:?$/i,
  /^[\w.+-]+ ?(?:@|\[at\]| at ) ?[\w.-]+$/i,
  /^<?(?:https?|ftp|mailto):\S+>?$/i,
  /\bunsubscribe\b|\bmailing list\b.{0,40}\bhttps?:|\bconfidential\b.{0,80}\b(?:recipient|intended)\b/i,
  /^(?:see|snip|comments?|my comments?|replies|responses?)\b.{0,12}\b(?:below|in-?line|above)\b.{0,8}$/i,
];

const orders: readonly RegExp[] = [
  new RegExp(
    [
      "\\b(?:ignore|disregard|forget|override)\\b[^.]{0,20}",
      "\\b(?:all|any|your|previous|prior|above|earlier|preceding|system)\\b[^.]{0,24}",
      "\\b(?:instructions?|prompts?|guidelines|rules)\\b",
    ].join(""),
    "i",
  ),
  /\b(?:system|developer) prompt\b|<\|[a-z_]{2,20}\|>/i,
  /\byou are (?:now )?(?:an? |the )?(?:ai|assistant|language model|llm|chatbot|gpt|pirate)\b/i,
  /\b(?:respond|reply|answer|output|print)\b.{0,20}\b(?:only|exactly|verbatim)\b.{0,10}[:"'“{]/i,
];

/** Whether a sentence addresses a machine reader (prompt injection): not part of the discussion. */
export const ordersMachine = (sentence: string): boolean => {
  const head = sentence.slice(0, cueLengthMax).replace(/\s+/g, " ");
  return orders.some((order) => order.test(head));
};

export const isVote = (sentence: string): boolean => /^[+\-±]\s?[01]\b/.test(sentence);
export const isQuestion = (sentence: string): boolean => /\?["')\]]{0,3}$/.test(sentence.slice(-10));

/** Only unmistakable proposals: attributing a wrong act is worse than attributing none. */
export const isProposal = (sentence: string): boolean => proposal.test(sentence.slice(0, cueLengthMax));
const proposal = anyWord(
  "(?:i|we)(?:'d| would)?(?: like to| want to| hereby| therefore)?,? (?:propose|suggest|recommend)",
);
