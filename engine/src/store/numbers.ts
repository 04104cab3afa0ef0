import type { Queryable } from "./database.ts";
import { prepared, sql } from "./sql.ts";

/** Subject numbers, fetched in blocks, so that a batch can number its rows without asking for each. */
export interface Numbers {
  /** Sets `count` numbers aside for the caller alone. Asks on the connection of the transaction they are for. */
  take(db: Queryable, count: number): Promise<() => number>;
}

interface Block {
  next: number;
  readonly end: number;
}

const blockSize = 1_000;
/** Who needs many now needs many again: some more are fetched, so that not every batch has to ask. */
const blocksAhead = 8;

export function makeNumbers(): Numbers {
  const blocks: Block[] = [];
  const left = () => blocks.reduce((sum, block) => sum + block.end - block.next, 0);
  return {
    async take(db, count) {
      // Others may take numbers while ours are on their way, so it looks again.
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
