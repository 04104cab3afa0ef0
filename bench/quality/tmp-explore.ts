import { writeFileSync } from "node:fs";
import { runLists } from "/work/main/bench/quality/run-lists.ts";
const run = await runLists();
console.log(run.seconds, run.refused, run.skipped);
for (const l of run.lists) console.log(l.list, JSON.stringify(l.ledger));
writeFileSync("/tmp/quality-run.json", JSON.stringify(run));
