import { prepared, sql } from "../../engine/src/store/sql.ts";
import type { Violation } from "../crash/checker.ts";
import type { Ground } from "./ground.ts";
import type { Plot } from "./plot.ts";

/** Concurrent readers: content common to all versions of a letter is visible from the first version on. */
export interface Readers {
  look(): Promise<Violation[]>;
}

export function makeReaders(ground: Ground, { correspondences }: Pick<Plot, "correspondences">): Readers {
  const seen = new Set<string>();
  const deleted = correspondences.filter(({ steps }) => steps.some((step) => step.letter === null));
  const lasting = (name: string) => !deleted.some(({ id }) => name.endsWith(`/${id}/head`));
  return {
    async look() {
      const rows = await ground.real.query<{ name: string }>(heads);
      const there = new Set(rows.map((row) => row.name));
      const missing = [...seen].filter((name) => !there.has(name) && lasting(name));
      for (const name of there) seen.add(name);
      return missing.map((name) => ({
        promise: "readers never miss what was there before",
        story: `${name} was missing`,
      }));
    },
  };
}

const heads = prepared(
  "sim-heads",
  sql`
    select c.name || '/' || d.id as name
    from headway.document d join headway.collection c on c.id = d.collection
    where d.gone_at is null and d.id like '%/head'`,
);
