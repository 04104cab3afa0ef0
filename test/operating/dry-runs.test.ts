import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { many, useShops, type Where } from "./broken-shop.ts";

const shops = useShops();

/** All read-only commands, and all commands with effects with --dry-run. */
const looking = (file: string): readonly string[][] => [
  ...[["list"], ["groups"], ["inspect"], ["inspect", "1", "--full"], ["export"]].map((words) => [
    "failed",
    ...words,
  ]),
  ["failed", "import", file, "--dry-run"],
  ["failed", "requeue", "--all", "--dry-run"],
  ["failed", "requeue", "--all", "--limit", "1", "--dry-run"],
  ["failed", "requeue", "reading.failed", "--ramp", "--dry-run"],
  ["failed", "reset", "reading", "--waiting", "--dry-run"],
  ["failed", "purge", "--all", "--state", "all", "--dry-run"],
  ["failed", "purge", "--all", "--yes", "--dry-run"],
  ["failed", "resolve", "--all", "--dry-run"],
  ["policies", "list"],
  ["policies", "history"],
  ["policies", "set", "reading", "transient", "--attempts", "2", "--dry-run"],
  ["policies", "reset", "pricing", "transient", "--dry-run"],
  ["pause", "pricing", "--dry-run"],
  ["resume", "packing", "--dry-run"],
  ["retry", "orders/torn-1", "--dry-run"],
  ["retry", "orders/late", "--at", "2h", "--dry-run"],
  ["cancel", "orders/late", "--dry-run"],
  ["reprocess"],
  ["reprocess", "--stage", "reading", "--apply", "--dry-run"],
  ["sweep", "--dry-run"],
  ["bench", "--only", "engine", "--dry-run"],
  ["delete", "source", "front-door", "--dry-run"],
  ["delete", "document", "orders/fine-1", "--yes", "--dry-run"],
];

describe.each<Where>(["PGlite, shared", "PostgreSQL"])(
  "looking and trying on %s",
  { timeout: 90_000 },
  (where) => {
    it("says what would be, and the database is the same afterwards", { timeout: 90_000 }, async () => {
      const shop = shops.open(where);
      await shop.work({ orders: { ...many("torn", 2), ...many("flaky", 1), ...many("fine", 2) } });
      const { out: kept } = await shop.headway("failed", "export");
      await shop.headway("failed", "purge", "1", "--yes");
      await shop.headway("policies", "set", "pricing", "transient", "--attempts", "7");
      await shop.headway("pause", "packing");
      await shop.work({ orders: { late: "fine late" }, drain: false });
      const file = join(shop.cwd, `${where.length}-kept.ndjson`);
      writeFileSync(file, kept);
      const before = await shop.hash();
      for (const words of looking(file)) {
        for (const more of [[], ["--json"]]) {
          const said = await shop.headway(...words, ...more);
          expect([...words, ...more, said.code, said.out === "" ? said.err : ""]).toEqual([
            ...words,
            ...more,
            0,
            "",
          ]);
          expect([words.join(" "), await shop.hash()]).toEqual([words.join(" "), before]);
        }
      }
    });

    it("counts what is then done", async () => {
      const shop = shops.open(where);
      await shop.work({ orders: { ...many("torn", 5), ...many("flaky", 2) } });
      for (const words of [
        ["failed", "resolve", "--code", "shop.flaky", "--limit", "1"],
        ["failed", "purge", "reading", "--limit", "2", "--yes"],
        ["failed", "requeue", "reading", "--limit", "3"],
      ]) {
        const [plan] = (await shop.headway(...words, "--dry-run", "--json")).rows();
        const [done] = (await shop.headway(...words, "--json")).rows();
        expect(done).toEqual({ ...plan, dryRun: false });
      }
    });
  },
);
