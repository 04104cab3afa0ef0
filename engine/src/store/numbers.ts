import type { Queryable } from "./database.ts";
import { prepared, sql } from "./sql.ts";

/** Subject numbers, fetched in blocks, so a batch can number its rows without a query for each. */
export interface Numbers {
  /** Reserves `count` numbers for the caller. Queries on the connection of the caller's transaction. */
  take(db: Queryable, count: number): Promise<() => number>;
}

interface Block {
  next: number;
  readonly end: number;
}

const blockSize = 1_000;
/** A caller with many rows will need many again: extra blocks save later queries. */
const blocksAhead = 8;

export function makeNumbers(): Numbers {
  const blocks: Block[] = [];
  const left = () => blocks.reduce((sum, block) => sum + block.end - block.next, 0);
  return {
    async take(db, count) {
      // Concurrent callers may take numbers during the query, so the count is checked again.
      for (let missing = count - left(); missing > 0; missing = count - left()) {
        const blocksMissing = Math.ceil(missing / blockSize) + (count >= blockSize / 2 ? blocksAhead : 0);
        const rows = await db.query<{ number: number }>(
          prepared(
            "numbers",
            sql`select nextval('headway.subject_number') as number
              from generate_series(1, ${blocksMissing}::int)`,
          ),
        );
        for (const { number } of rows) blocks.push({ next: number, end: number + blockSize });
      }
      return dealer(cutOff(blocks, count));
    },
  };
}

/** Takes the first `count` numbers out of the blocks. */
function cutOff(blocks: Block[], count: number): Block[] {
  const cut: Block[] = [];
  for (let wanted = count; wanted > 0; ) {
    const block = blocks[0] as Block;
    const taken = Math.min(wanted, block.end - block.next);
    cut.push({ next: block.next, end: block.next + taken });
    block.next += taken;
    wanted -= taken;
    if (block.next === block.end) blocks.shift();
  }
  return cut;
}

function dealer(blocks: Block[]): () => number {
  return () => {
    const block = blocks[0];
    if (!block) throw new Error("more numbers were used than taken");
    const number = block.next++;
    if (block.next === block.end) blocks.shift();
    return number;
  };
}
