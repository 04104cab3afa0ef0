import type { Rule } from "../pdf/objects.ts";

/** A drawn line after joining: at height or distance `at`, from end to end. */
export interface Line {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

export interface Lines {
  readonly horizontal: readonly Line[];
  readonly vertical: readonly Line[];
}

/** Lines this near to each other are joined; lines of a table are drawn cell by cell. */
const near = { across: 2.2, along: 3, lengthMin: 5, countMax: 6_000 } as const;

export function joinRules(rules: readonly Rule[], page: { width: number; height: number }): Lines {
  const of = (way: Rule["way"], end: number) =>
    join(
      rules
        .filter(
          (rule) =>
            rule.way === way && rule.to - rule.from > near.lengthMin && rule.at > -5 && rule.at < end + 5,
        )
        .slice(0, near.countMax),
    );
  return { horizontal: of("h", page.height), vertical: of("v", page.width) };
}

function join(rules: readonly Rule[]): readonly Line[] {
  const groups: { at: number; rules: Rule[] }[] = [];
  for (const rule of [...rules].sort((one, other) => one.at - other.at || one.from - other.from)) {
    const group = groups.at(-1);
    if (!group || rule.at - group.at >= near.across) {
      groups.push({ at: rule.at, rules: [rule] });
      continue;
    }
    group.rules.push(rule);
    group.at += (rule.at - group.at) / group.rules.length;
  }
  return groups.flatMap(({ at, rules: parts }) => {
    const lines: { at: number; from: number; to: number }[] = [];
    for (const { from, to } of parts.sort((one, other) => one.from - other.from)) {
      const last = lines.at(-1);
      if (last && from <= last.to + near.along) last.to = Math.max(last.to, to);
      else lines.push({ at, from, to });
    }
    return lines;
  });
}
