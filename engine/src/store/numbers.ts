import type { Queryable } from "./database.ts";
import { prepared, sql } from "./sql.ts";

/** Subject numbers, fetched in blocks, so that a batch can number its rows without asking for each. */
export interface Numbers {
  /** Makes sure that `count` numbers can be taken at once. Asks on the connection of the transaction it is for. */
  reserve(db: Queryable, count: number): Promise<void>;
  next(): number;
}

const blockSize = 1_000;

export function makeNumbers(): Numbers {
  const blocks: { next: number; end: number }[] = [];
  const left = () => blocks.reduce((sum, block) => sum + block.end - block.next, 0);
  return {
    async reserve(db, count) {
      // Others may take numbers while ours are on their way, so it looks again.
      for (;;) {
        const missing = Math.ceil((count - left()) / blockSize);
        if (missing <= 0) return;
        const rows = await db.query<{ number: number }>(
          prepared(
            "numbers",
            sql`select nextval('headway.subject_number') as number from generate_series(1, ${missing}::int)`,
          ),
        );
        for (const { number } of rows) blocks.push({ next: number, end: number + blockSize });
      }
    },
    next() {
      const block = blocks[0];
      if (!block) throw new Error("more numbers were taken than reserved");
      const number = block.next++;
      if (block.next === block.end) blocks.shift();
      return number;
    },
  };
}
