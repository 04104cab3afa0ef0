import { type Accept, acceptDocuments } from "../engine/src/store/accept.ts";
import type { Database, Queryable } from "../engine/src/store/database.ts";
import { registerSource } from "../engine/src/store/registry.ts";
import type { Runnable } from "../engine/src/store/sql.ts";
import type { Prepared } from "../engine/src/store/stage-graph.ts";
import { findDue, nextReadyAt } from "../engine/src/store/tasks.ts";
import {
  aFault,
  type Desk,
  type Holding,
  later,
  now,
  openDesk,
  request,
} from "../test/conformance/store-desk.ts";

const header = `-- Written by \`npm run schema\`: to be read, not to be edited. The statements of the hot path, whole, as the store sends
-- them for a small pipeline: letters are split into lines, a line is shouted, lines are gathered by topic. SQL functions
-- are in migrations/functions/, tables in schema.sql.`;

type Record = (title: string, act: () => Promise<unknown>) => Promise<void>;

/** Plays the acts of the engine one after another on an empty, migrated database, and writes down their statements. */
export async function renderHotStatements(db: Database): Promise<string> {
  const parts = [header];
  let heard: string[] | null = null;
  const desk = await openDesk(listenTo(db, (text) => heard?.push(text)));
  await play(desk, async (title, act) => {
    heard = [];
    await act();
    parts.push(`-- ${title}\n\n${heard.join("\n\n")}`);
    heard = null;
  });
  return `${parts.join("\n\n\n")}\n`;
}

async function play(desk: Desk, record: Record): Promise<void> {
  const source = await registerSource(desk.db, "post", now);
  const accept = (documents: readonly Prepared[], more: Partial<Accept> = {}) => {
    const { flow, numbers } = desk;
    return acceptDocuments(desk.db, { source, documents, request, rank: 0, now, flow, numbers, ...more });
  };
  const letter = (id: string, text = id) => desk.document("letters", id, text);
  const worker = await desk.worker();
  await desk.letters("first");
  await desk.work("split");

  await record("Accept new documents", () => accept([letter("a"), letter("b")], { hopeful: true }));
  const keen = { worker, stage: desk.stage("split") };
  await record("Accept new documents, claimed for an idle stage", () =>
    accept([letter("c")], { hopeful: true, keen }),
  );
  await record("Accept a changed document", () => accept([letter("b", "changed")]));
  await record("Poll the stages of a worker", () => findDue(desk.db, { stages: [desk.stage("split")], now }));
  await record("Find the next due moment of a stage", () => nextReadyAt(desk.db, desk.stage("split"), now));
  await playCommits(desk, record);
}

async function playCommits(desk: Desk, record: Record): Promise<void> {
  let held = await desk.hold("split");
  const worker = await desk.worker();
  await record("Claim due tasks", () => desk.take("split", worker, { now: later(1) }));
  await record("Commit the first result of a task, with more tasks in the claim", () =>
    held.commit([held.finished("a", [desk.line("a1", "one")])]),
  );
  await record(
    "Commit the last task of a claim: an output joins a group, an event, a failed attempt before",
    () =>
      held.commit([held.finished("b", [desk.line("b1", "one", "news")], noted(held, "b"))], { remaining: 0 }),
  );
  await desk.accept([desk.document("letters", "a", "changed")], { at: later(1) });
  held = await desk.hold("split", { now: later(1) });
  await record("Commit another result of a task: compared with the rows that are there", () =>
    held.commit([held.finished("a", [desk.line("a1", "two"), desk.line("a2", "new")])], { now: later(1) }),
  );
  await desk.letters("d", "e", "f");
  held = await desk.hold("split", { now: later(1) });
  await record("Commit a part of a long result", () => held.part("d", [desk.line("d1", "one")]));
  await record("Retry a failed task later", () => held.unfinished({ postponed: [retried(held, "e")] }));
  await record("End a task as a dead letter", () => held.unfinished({ deaths: [held.death("f")] }));
}

const noted = (held: Holding, id: string) => {
  const { subject } = held.task(id);
  const common = { subject, request, correlationId: "req" };
  return {
    event: { ...common, key: id, type: "letter.split", stage: held.held.stage, data: {}, causationId: null },
    faults: [{ ...common, attempt: 1, fault: aFault, at: now }],
  };
};

const retried = (held: Holding, id: string) => {
  const { subject, generation } = held.task(id);
  return {
    subject,
    generation,
    readyAt: later(60_000),
    reason: "backoff",
    attempts: 1,
    waits: 0,
    attempted: true,
    suspect: false,
    fault: JSON.stringify(aFault),
  };
};

function listenTo(db: Database, hear: (text: string) => void): Database {
  const heard = (of: Queryable): Queryable => ({
    query: (statement) => {
      if (statement.name !== "numbers") hear(write(statement));
      return of.query(statement);
    },
  });
  return {
    ...db,
    ...heard(db),
    transaction: async (work) => {
      hear("begin;");
      const result = await db.transaction((tx) => work(heard(tx)));
      hear("commit;");
      return result;
    },
  };
}

const write = ({ name, text }: Runnable): string =>
  `${name ? `-- prepared as ${name}\n` : ""}${indent(text)};`;

/** Two spaces for each open parenthesis: parts come from different files with indents of their own. */
function indent(text: string): string {
  let depth = 0;
  const lines: string[] = [];
  for (const line of text.split("\n").map((one) => one.trim())) {
    if (line === "") continue;
    const closing = /^\)+/.exec(line)?.[0].length ?? 0;
    lines.push("  ".repeat(Math.max(0, depth - closing)) + line);
    const code = line.replaceAll(/'[^']*'/g, "");
    depth += code.split("(").length - code.split(")").length;
  }
  return lines.join("\n");
}
