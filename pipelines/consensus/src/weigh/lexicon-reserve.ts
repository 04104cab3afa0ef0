import type { Expression } from "./lexicon.ts";
import { stop, worry } from "./lexicon-phrases.ts";

/** Statements of taking no side, or the side of another person. */
export const reserve: readonly Expression[] = [
  {
    pattern: "feel (?:very |too |that |particularly )?strongly\\b",
    lean: 0,
    strength: 0,
    because: "does not feel strongly",
    negated: { lean: 0, strength: 0.7 },
    said: "by me or bare",
  },
  {
    pattern: "(?:no|any|a) (?:horse|dog|skin|stake) in (?:this|the|that)\\b",
    lean: 0,
    strength: 0.7,
    because: "has no stake in it",
    negated: { lean: 0, strength: 0.7 },
  },
  {
    pattern: "mixed feelings\\b|have mixed feelings\\b",
    lean: 0,
    strength: 0.7,
    because: "has mixed feelings",
  },
  {
    pattern: `(?:mind|care if)(?= (?:this|it|that|if|the|either way|adopting|publishing|merging)\\b| [.,;!]|$)`,
    lean: 0,
    strength: 0,
    because: "does not mind",
    negated: { lean: 1, strength: 0.4 },
    said: "by me or bare",
  },
  {
    pattern: "convinced(?: (?:that|about|by|of|this|it|we|the|yet|at all|either)\\b| [.,;!]|$)",
    lean: 0,
    strength: 0,
    because: "is not convinced",
    negated: { lean: -1, strength: 0.55 },
    said: "by me or bare",
  },
  {
    pattern:
      "(?:would|do|should|strongly|slightly|still) (?:much |strongly |slightly |still )?prefer\\b|would rather\\b",
    lean: 0,
    strength: 0.4,
    because: "would prefer something else",
    negated: "nothing",
    said: "by me or bare",
  },
  {
    pattern: `have (?:absolutely |really )?no (?:strong |particular |real |firm ){0,2}(?:opinions?|preferences?|feelings?|views?|position)\\b`,
    lean: 0,
    strength: 0.7,
    because: "has no opinion",
    negated: "nothing",
  },
  {
    pattern: `no (?:strong |particular |real |firm ){0,2}(?:opinions?|preferences?|feelings?|views?)\\b`,
    lean: 0,
    strength: 0.7,
    because: "has no opinion",
  },
  {
    pattern:
      "have (?:a |an |any )?(?:strong |particular |real |firm ){0,2}(?:opinions?|preferences?|feelings?|views?)\\b",
    lean: 0,
    strength: 0,
    because: "has no opinion",
    negated: { lean: 0, strength: 0.7 },
    said: "by me or bare",
  },
  {
    pattern: `(?:really |particularly |much |terribly )?care (?:much |strongly |very |too |enough |either |which |about which |one way)`,
    lean: 0,
    strength: 0,
    because: "does not care either way",
    negated: { lean: 0, strength: 0.7 },
    said: "by me or bare",
  },
  {
    pattern:
      "(?:am|are|be|remain|stay|feel) (?:fairly |quite |rather |still |pretty |mostly |largely |a bit ){0,2}(?:neutral|ambivalent|indifferent|agnostic|undecided|on the fence|torn)\\b",
    lean: 0,
    strength: 0.8,
    because: "is neutral",
    said: "by me or bare",
  },
  { pattern: `(?:neutral|abstain(?:ing)?)${stop}`, lean: 0, strength: 0.8, because: "is neutral" },
  { pattern: "abstain\\b", lean: 0, strength: 0.8, because: "abstains", said: "by me" },
  {
    pattern:
      "(?:go either way|either way (?:is|works|would be|sounds)|fine either way|ok either way|happy either way|fine with either|ok with either)\\b",
    lean: 0,
    strength: 0.7,
    because: "is fine either way",
  },
  {
    pattern:
      "sure (?:if |whether |that |about )?(?:this|it|i (?:support|agree|like|want)|we (?:should|want|need)|(?:the|this) (?:draft|proposal|idea|wg|change|approach|document))\\b",
    lean: 0,
    strength: 0,
    because: "is not sure",
    negated: { lean: 0, strength: 0.4 },
    said: "by me or bare",
  },
  {
    pattern: `(?:agree|concur|agreed|in (?:full |complete )?agreement)(?: (?:with (?!.{0,60}${worry})|100|completely|entirely|fully|wholeheartedly|strongly|on (?:that|this|all)|too)\\b|${stop})`,
    lean: 1,
    strength: 0.5,
    because: "agrees",
    relation: true,
  },
  {
    pattern: `(?:strongly |completely |totally |respectfully )?disagree(?: with (?!.{0,60}${worry})| completely| strongly| here| on|${stop})`,
    lean: -1,
    strength: 0.6,
    because: "disagrees",
    negated: "nothing",
    relation: true,
  },
  {
    pattern: `(?:ditto|same here|what [a-z]+ said)${stop}`,
    lean: 1,
    strength: 0.5,
    because: "says the same",
    relation: true,
  },
];
