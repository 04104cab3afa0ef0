import { isCodeShaped, kindOf, type Role } from "./roles.ts";

/** Share of cells that look like codes before a column has the role, against the head. */
const codeShare = 0.7;
/** Words of a usual cell in a column of sentences: a level or a page number has one. */
const wordsMin = 1.5;

/** Roles of a trouble table's columns, completed from cells: an unknown head loses no text. */
export function tellRoles(
  heads: readonly (Role | null)[],
  cells: readonly (readonly string[])[],
): readonly (Role | null)[] {
  const roles = [...heads];
  if (!roles.includes("code")) {
    const at = roles.findIndex(
      (role, column) =>
        (role === null || role === "problem" || role === "position") && isCodeColumn(cells[column] ?? []),
    );
    if (at >= 0) roles[at] = "code";
    if (kindOf(roles) !== "trouble") return heads;
  }
  for (const [column, role] of roles.entries())
    if (role === null && isSentences(cells[column] ?? [])) roles[column] = missingRole(roles, column);
  return roles;
}

const isCodeColumn = (cells: readonly string[]): boolean =>
  cells.length >= 2 && cells.filter(isCodeShaped).length >= codeShare * cells.length;

const isSentences = (cells: readonly string[]): boolean =>
  cells.length >= 2 &&
  cells.reduce((sum, text) => sum + text.split(" ").length, 0) >= wordsMin * cells.length &&
  cells.some((text) => /\p{L}{3}/u.test(text));

/** Problem, cause, remedy: the first missing role; the last for the rightmost column. */
function missingRole(roles: readonly (Role | null)[], column: number): Role | null {
  const order: readonly Role[] = ["problem", "cause", "remedy"];
  const open = order.filter(
    (role) => !roles.includes(role) && !(role === "problem" && roles.includes("description")),
  );
  const last = roles.findLastIndex((role) => role === null) === column;
  return (open.length > 1 && last ? open.at(-1) : open[0]) ?? null;
}
