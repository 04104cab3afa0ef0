import { callRules, subjectIsReply } from "./calls.ts";
import { type Call, type Question, quoteFrom, type Span } from "./findings.ts";
import type { PostReading } from "./read-post.ts";

/**
 * The questions of a thread: first the main one, then a call of another kind in a later message (a vote after the
 * discussion of a proposal), or a message that turns the thread under a new subject.
 */
export function findQuestions(readings: readonly PostReading[], calls: readonly Call[]): readonly Question[] {
  const opening = openingQuestion(readings);
  const first = opening ?? findQuestion(readings, calls) ?? turningQuestion(readings);
  if (first === null) return [];
  const kinds = new Set<string>([first.kind]);
  const later = readings.slice(1).flatMap((reading): readonly Question[] => {
    if (reading.post.id === first.message) return [];
    const { call, author } = reading;
    if (call !== null && opensAnother(call.kind, kinds, author === first.by)) {
      kinds.add(call.kind);
      return [{ ...call, by: author }];
    }
    return turnsThread.test(reading.post.subject.slice(0, 300)) ? turnOf(reading) : [];
  });
  return [first, ...later.slice(0, questionsMax - 1)];
}

/** A proposer who asks again for objections asks the same question. */
const opensAnother = (kind: Call["kind"], known: ReadonlySet<string>, isProposer: boolean): boolean =>
  kind !== "proposal" && !known.has(kind) && !(isProposer && /consensus/.test(kind));

const questionsMax = 5;
/** "Wiki instead? (was: Notes)", and not the answers to such a message. */
const turnsThread = /^(?!\s{0,4}(?:re|aw|sv)\s?:).{3,200}[([]was\s?:/i;

function turnOf(reading: PostReading): readonly Question[] {
  const asked = wordsThatAsk(reading);
  if (asked === null) return [];
  return [{ ...quoteFrom(reading.post, asked.span), by: reading.author, kind: asked.kind }];
}

/** A proposal in the first message stays the first question, also if a vote is called later. */
function openingQuestion([first]: readonly PostReading[]): Question | null {
  if (first === undefined || first.call === null) return null;
  return { ...first.call, by: first.author };
}

/**
 * The question of a thread: a call comes first, then a tag in the subject, then a first message that proposes
 * something or asks the group. Without a question there is nothing to decide, whatever people agree about.
 */
function findQuestion(readings: readonly PostReading[], calls: readonly Call[]): Question | null {
  const call = calls.find(({ kind }) => kind !== "proposal") ?? calls[0];
  if (call !== undefined) return call;
  const [first] = readings;
  if (first === undefined) return null;
  const opening = { message: first.post.id, by: first.author };
  const asked = openingWords(first);
  if (asked !== null) return { ...quoteFrom(first.post, asked.span), by: first.author, kind: asked.kind };
  if (!subjectIsReply(first.post.subject) && offersChange.test(first.post.subject.slice(0, 300))) {
    const span = first.sentences.find(({ start, end }) => end - start > 20) ?? { start: 0, end: 0 };
    return { ...quoteFrom(first.post, span), by: first.author, kind: "proposal" };
  }
  if (first.post.parent === null && putsChoice.test(first.post.subject.slice(0, 300))) {
    const span = first.sentences.find(({ end }) => first.ownWords[end - 1] === "?") ?? { start: 0, end: 0 };
    return { ...quoteFrom(first.post, span), by: first.author, kind: "question" };
  }
  const kind = kindOfSubject(first.post.subject);
  // The message that asked is not here: the subject of its answers still says what they are about.
  return kind === null ? null : { ...opening, kind, start: 0, end: 0, quote: "" };
}

/**
 * A later message that turns a thread without a question: the message asks the group explicitly, and another person answers. Of
 * several, the message with most answers.
 */
function turningQuestion(readings: readonly PostReading[]): Question | null {
  let best: { readonly question: Question; readonly answers: number } | null = null;
  for (const reading of readings) {
    const { post, author, sentences, ownWords } = reading;
    if (post.parent === null) continue;
    const answers = readings.filter((each) => each.post.parent === post.id && each.author !== author).length;
    if (answers <= (best?.answers ?? 0)) continue;
    const span = sentences
      .slice(0, sentencesMax)
      .find(({ start, end }) => turns.test(plainLine(ownWords, start, end)));
    if (span === undefined) continue;
    best = { question: { ...quoteFrom(post, span), by: author, kind: "proposal" }, answers };
  }
  return best?.question ?? null;
}

const turns =
  /\b(?:(?<!\b(?:why|what|how|when|where|which|who) )(?:should|shall) we\b(?! (?:expect|be able|assume|do\?|discuss|post|ask|send|report|talk|look)\b).{5,300}\?|what if we\b|how about if we\b|i(?:'m| am) (?:beginning|starting) to think (?:that )?we should|would it be enough if|does (?:that|this) (?:sound|seem|look) (?:reasonable|ok|okay|good|fine)\b.{0,60}\?|i (?:hereby )?propose (?:that|to)\b|(?:could|can|may|should) (?:this|the|my|these) (?:patch(?:es)?|change|fix|branch|series)\b.{0,40}\bbe (?:committed|merged|applied|included|pulled)\b.{0,40}\?)/i;

function kindOfSubject(subject: string): Question["kind"] | null {
  const line = subject.slice(0, 300);
  const plain = line.replace(/^(?:\s{0,4}(?:re|aw|sv|fwd?)\s?:){1,5}\s{0,4}/i, "");
  if (!subjectIsReply(line) && plain === line) return null;
  return callRules.find(({ subject: named }) => named?.test(plain))?.kind ?? null;
}

/** "Per reading or per batch?", "Drop the old format?" */
const putsChoice =
  /^(?:\[[^\]]{1,40}\] ?){0,3}(?:(?:should|shall|drop|remove|deprecate|keep|allow|merge|adopt|rename|move|retire)\b[^?]{1,200}|[^?]{1,150}\bor\b[^?]{1,150})\?$/i;

const sentencesMax = 60;

const openingWords = (reading: PostReading): Opening | null =>
  reading.post.parent !== null || subjectIsReply(reading.post.subject) ? null : wordsThatAsk(reading);

interface Opening {
  readonly span: Span;
  readonly kind: Question["kind"];
}

function wordsThatAsk({ post, sentences, ownWords }: PostReading): Opening | null {
  const opening = `${post.subject.slice(0, 300)}\n${ownWords.slice(0, helpLength)}`;
  const seeksHelp = asksForHelp.test(opening) && !offersWork.test(opening);
  for (const span of sentences.slice(0, sentencesMax)) {
    const sentence = plainLine(ownWords, span.start, span.end);
    if (seeksHelp && !asksForDecision.test(sentence)) continue;
    if (proposes.test(sentence)) return { span, kind: "proposal" };
    if (sentence.endsWith("?") && asksGroup.test(sentence)) return { span, kind: "question" };
  }
  return null;
}

const helpLength = 4_000;
/** A person in trouble with a program asks for an answer, and not for a decision. */
const asksForHelp =
  /\b(?:(?:can|could|would) (?:any(?:one|body)|some(?:one|body)|you) (?:please )?(?:help|tell|explain|point|show|give me)|need (?:some )?help|help me\b|(?:how|where) (?:do|can|should|would|could) i\b|i(?:'|’)?m (?:new to|learning|trying to (?:get|use|make|figure|understand|do|run|build|find|write|connect|install))|i am (?:new to|learning|trying to (?:get|use|make|figure|understand|do|run|build|find|write|connect|install))|newbie|how to|sanity check|(?:i am|i(?:'|’)m) (?:just )?(?:looking for (?!(?:some )?(?:feedback|comments|opinions)))|as the basis of my|what am i (?:doing|missing)|am i (?:missing|doing)|is there (?:a|any|some) (?:way|easy way|reason|example|documentation)|i (?:have|had) (?:several|some|a few|two|three|a) questions?|any (?:idea|hint|pointer|clue|help)s?\b|my (?:problem|application|app|system|server|program|script|website|web ?site|setup))\b/i;
/** Words of a person who has done something for the group. */
const offersWork =
  /\b(?:patch|diff|pull request|merge request|attached|proposal|propose|rfc|draft|branch|prototype|implemented|my implementation|should we|shall we|we (?:should|could|need to|ought to))\b/i;
const asksForDecision =
  /\b(?:propos\w+|(?:should|shall) we|objections?|do (?:people|others|we all) (?:agree|want|prefer)|(?:would|do) (?:people|others|folks) (?:like|want|prefer)|vote|consensus|wouldn't it be better|let (?:me|us) know what|other people think|be (?:committed|merged|applied))\b/i;

const plainLine = (text: string, start: number, end: number): string =>
  text
    .slice(start, Math.min(end, start + 600))
    .replace(/\s+/g, " ")
    .replaceAll("’", "'")
    .trim();

/** A pull request or a patch, as subjects name them. */
const offersChange =
  /\b(?:pull|merge) request\b|^\[GitHub\] [\w./-]{1,80} issue #\d+: |\bPR ?#\d|(?:^|[\s:[(-])patch(?:es)?(?:$|[\s:\])-])|\b(?:suggested|minor|small|trivial) (?:[\w/]+ )?(?:fix|change|handling|patch)\b/i;

const proposes =
  /\b(?:i (?:would |'d )?(?:like to )?(?:propose|suggest|recommend)|my (?:proposal|suggestion)|i (?:really |also |just )?(?:think|believe|feel)(?: that)? (?:we|the (?:group|project|wg|list)) (?:should|need to|ought to|could)|(?:(?<!(?:changes|what|which|that) )i (?:plan|intend|would like|'d like)|we (?:plan|intend|want|would like|'d like)) to (?:add|remove|drop|change|move|rename|replace|merge|switch|deprecate|release|introduce|convert|rewrite|make)|(?:here is|here's|this is|attached is|i have attached|please find attached|please review)\b.{0,60}\b(?:patch|proposal|draft|change|series|pull request|merge request)|(?:please|kindly) (?:review|merge|pull|apply|comment on)|review (?:is )?(?:welcome|appreciated)|(?:it|this) (?:would|might) (?:probably |really |also )?be (?:worthwhile|nicer?|better|good|great|useful|a good idea) (?:to|if)(?! (?:some|any)(?:one|body))|wouldn't it be (?:better|nicer?|good|great)|(?:i'd|i would) (?:really )?(?:like|love) (?:it if|to see|us to)|the (?:attached|following|below) (?:patch|diff|change)|(?:patch|diff) (?:is )?(?:attached|below)|i(?:'ve| have)? (?:wrote|written|made|prepared|attached) (?:a |the |an? \w+ )?(?:patch|diff|fix)|(?:attached|this|necessary|included) patch (?:fixes|implements|adds|makes|opens?|removes|changes)|please consider (?:to )?(?:apply|applying|merging|adding)|patch included|i(?:'d| would) prefer to (?:remove|drop|change|add|rename)|should just (?:remove|drop|add|rename)|(?:would|could) be (?:even )?(?:nicer?|supreme|great) if(?! (?:some|any)(?:one|body))|(?:below|following|attached)(?: are| is)?(?: the| my)? suggested (?:patch|change)(?:es|s)?|(?:i'm |i am )?looking for (?:some )?(?:feedback|comments|opinions) (?:on|about|whether)|(?:want|wanted|like) to bring (?:this |it )?(?:back )?to the list|(?:could|can|may|should) (?:this|the|my|these) (?:patch(?:es)?|change|fix|branch|series)\b.{0,40}\bbe (?:committed|merged|applied|included|pulled)|let (?:me|us|me and .{3,40}) know what (?:you|people|everyone|everybody|others) think|want(?:ed)? to (?:see|know|find out|ask) (?:if|whether) (?:other )?(?:people|others|folks|everyone)|(?:i guess )?i would hope that|perfect solution|i (?:have )?started (?:and [\w ]{3,40} )?(?:on )?(?:getting|moving|merging|converting))\b/i;

const asksGroup =
  /\b(?:how (?:would|do) (?:people|others|you|folks|everyone) feel about|(?:who|anyone|anybody) (?:wants|want|willing|would like) to second|(?:are there|any) seconders|should (?:a|an|the|this|it|\w+ing) [^?]{3,160}\b(?:be (?:added|removed|changed|dropped|renamed|made|merged|deprecated)|go away)|is (?:somebody|anybody|anyone) (?:else )?interested|what (?:do|does|would) (?:people|everyone|everybody|others|folks|you(?: all| guys| folks)?|the (?:group|list|wg)) (?:think|say|prefer)|(?:any|your) (?:thoughts|opinions?|comments|objections?|feedback|preferences?)|thoughts|opinions|wdyt|(?:should|shall) (?:we|the (?:group|project))|does any(?:one|body) (?:object|mind|agree|disagree|oppose)|(?:would|does|is) (?:it|this|that) (?:be |make )?(?:ok|okay|fine|acceptable|good|sense|reasonable) (?:to|if|for)|how about|(?:can|could) we(?! (?:tell|know|see|find|get)\b)|does (?:it|this|that|anyone think|working)\b.{0,80}\bmake(?:s)? sense|what about (?:\w+ing|if we|we|an?)\b|what if|would (?:it|this|that) (?:not )?be (?:enough|better|possible|useful)|is there (?:any )?interest|would (?:people|anyone|others|folks) (?:be interested|like|want|prefer)|why (?:not (?:add|have|make|move|use|merge|drop|remove|let|allow|do|go|switch|put|keep|call|rename) |don't we)|do (?:people|others|we|you all) (?:agree|think|want|prefer))\b/i;
