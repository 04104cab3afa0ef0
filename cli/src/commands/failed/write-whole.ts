import { open, rename } from "node:fs/promises";
import { safeJson } from "../../terminal.ts";

/** Writes to a private draft first: half an export must not look whole. */
export async function writeWhole(place: string, rows: AsyncIterable<object>): Promise<number> {
  const part = `${place}.part`;
  let count = 0;
  const file = await open(part, "w", 0o600);
  try {
    for await (const row of rows) {
      await file.write(`${safeJson(row)}\n`);
      count += 1;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(part, place);
  return count;
}
