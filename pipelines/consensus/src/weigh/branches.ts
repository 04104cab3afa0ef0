import type { Question } from "./findings.ts";
import type { PostReading } from "./read-post.ts";

/** The posts of the first question, then those of each later one: its message and everything below. */
export function branchesOf(
  readings: readonly PostReading[],
  later: readonly Question[],
): readonly (readonly PostReading[])[] {
  const branches = [[] as PostReading[], ...later.map((): PostReading[] => [])];
  const starts = new Map(later.map(({ message }, at) => [message, at + 1]));
  const branchOf = new Map<string, number>();
  // Tree order: a parent comes before its answers.
  for (const reading of readings) {
    const { id, parent } = reading.post;
    const branch = starts.get(id) ?? (parent === null ? 0 : (branchOf.get(parent) ?? 0));
    branchOf.set(id, branch);
    branches[branch]!.push(reading);
  }
  return branches;
}
