import type { Line } from "../layout/lines.ts";
import type { Row, Segment } from "../layout/rows.ts";

/** A line of text, parted where its gaps are wide. */
export interface SplitLine extends Row {
  readonly segments: readonly Segment[];
}

/** A drawn line stands between two lines of text, over a good part of the table. */
export const parts = (
  lines: readonly Line[],
  above: Row,
  below: Row,
  [x0, x1]: readonly [number, number],
): boolean =>
  lines.some(
    ({ at, from, to }) =>
      at > above.middle && at < below.middle && Math.min(to, x1) - Math.max(from, x0) > 0.4 * (x1 - x0),
  );
