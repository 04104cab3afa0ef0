import type { Span } from "../findings.ts";
import type { PostReading } from "../read-post.ts";
import type { Paragraph } from "./features.ts";

/** A paragraph with its place in the post. */
export interface PlacedParagraph {
  readonly span: Span;
  readonly paragraph: Paragraph;
}

/** The paragraphs of a post with the rules' findings in each; foreign words are blanked, and blank paragraphs absent. */
export function paragraphsOf(reading: Omit<PostReading, "heard">): readonly PlacedParagraph[] {
  const { post, ownWords, signals, votes, call, declared, question } = reading;
  const findings: readonly (readonly [string, Span])[] = [
    ...votes.map(({ span, value }) => [`a vote ${Math.sign(value)}`, span] as const),
    ...(call === null ? [] : [[`a call: ${call.kind}`, call] as const]),
    ...(declared === null ? [] : [[`a decision: ${declared.kind}`, declared] as const]),
    ...(question === null ? [] : [["a question", question] as const]),
  ];
  return stretchesOf(ownWords).map((span, at) => ({
    span,
    paragraph: {
      text: ownWords.slice(span.start, span.end),
      isFirst: at === 0,
      isReply: post.parent !== null,
      signals: signals.filter((signal) => startsIn(signal.span, span)),
      findings: findings.filter(([, place]) => startsIn(place, span)).map(([name]) => name),
    },
  }));
}

const startsIn = ({ start }: Span, span: Span): boolean => start >= span.start && start < span.end;

const paragraphsMax = 400;

function stretchesOf(text: string): readonly Span[] {
  const found: Span[] = [];
  let start = -1;
  let at = 0;
  for (const line of text.split("\n")) {
    if (line.trim() === "") {
      if (start >= 0) found.push({ start, end: at });
      start = -1;
    } else if (start < 0) start = at;
    at += line.length + 1;
  }
  if (start >= 0) found.push({ start, end: text.length });
  return found.slice(0, paragraphsMax);
}
