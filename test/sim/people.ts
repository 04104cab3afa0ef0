import { DefinitionError } from "../../engine/src/define/definition-error.ts";
import { makeOperator, type Operator } from "../../engine/src/operate/operator.ts";
import { makeAccept } from "../../engine/src/run/accept.ts";
import { sleep } from "../../engine/src/run/clock.ts";
import { isConnectionError } from "../../engine/src/store/database.ts";
import { notify, workChannel } from "../../engine/src/store/news.ts";
import { makeNumbers } from "../../engine/src/store/numbers.ts";
import { type Statement, sql } from "../../engine/src/store/sql.ts";
import type { Violation } from "../crash/checker.ts";
import type { Fleet } from "./fleet.ts";
import { type Letter, letters, post } from "./letters.ts";
import type { Correspondence, Deed } from "./plot.ts";
import { makeProcess } from "./process.ts";
import type { SceneParts } from "./scene.ts";

/** Senders of letters, and operators; each repeats an action until answered. */
export interface People {
  /** Sends, changes and deletes letters, step by step. */
  correspond(correspondence: Correspondence): Promise<void>;
  /** Sends another version of a letter, if sent before. */
  rewrite(id: string, letter: Letter): Promise<void>;
  operate(deed: Extract<Deed, { kind: OperatorDeed }>): Promise<void>;
  /** Requeues dead letters. */
  requeue(ids: readonly number[]): Promise<void>;
  /** No action is in progress. */
  readonly idle: boolean;
  /** The final version of each letter. */
  readonly lastLetters: ReadonlyMap<string, Letter>;
}

export type OperatorDeed = "pause" | "policy" | "requeue" | "retry" | "cancel" | "free worker";

export function makePeople(parts: SceneParts, fleet: Pick<Fleet, "handIn">): People {
  const { scheduler, chance, sometimes, ground, server, store, violated } = parts;
  const person = makeProcess("people", scheduler, chance);
  const { clock } = person;
  const db = server.connect(person);
  const operator = makeOperator({ database: db, clock, actor: "ann", pipelines: [post], environment: {} });
  const numbers = makeNumbers();
  const last = new Map<string, Letter>();
  const turns = new Map<string, Promise<void>>();
  let busy = 0;

  /** Repeats an action until an answer arrives; a refusal in words is an answer. */
  async function insist<T>(act: () => Promise<T>): Promise<T | null> {
    for (;;) {
      try {
        return await act();
      } catch (error) {
        if (error instanceof DefinitionError) return null;
        const { code } = error as { code?: unknown };
        if (!isConnectionError(error) && !["40P01", "40001", "23505"].includes(String(code))) throw error;
        await sleep(clock, chance.between(50, 800));
      }
    }
  }
  async function doing(what: string, act: () => Promise<void>): Promise<void> {
    busy += 1;
    try {
      await act();
    } catch (error) {
      const story = `${what}: ${error instanceof Error ? error.stack : error}`;
      violated({ promise: "what a person does is done, or refused in words", story } satisfies Violation);
    } finally {
      busy -= 1;
    }
  }
  const isWorkedOn = async (letter: string): Promise<boolean> => {
    const rows = await scheduler.look(() =>
      ground.real.query(sql`
        select 1 from headway.claim c join headway.document d on d.subject = any (c.subjects) where d.id = ${letter}`),
    );
    return rows.length > 0;
  };
  const handIn = makeAccept({
    db,
    store,
    clock,
    graph: ground.graph,
    numbers,
    emit: () => undefined,
    wake: (stages) => void notify(db, workChannel, stages.join(",")).catch(() => undefined),
  });
  const accept = async (id: string, letter: Letter): Promise<void> => {
    const draft = letters.document(id, { ...letter, words: [...letter.words] });
    await ((chance.happens(0.5) && fleet.handIn(draft)) || handIn(draft));
  };
  /** Serialises the changes of one letter, so the last version is well defined. */
  function inTurn(id: string, act: () => Promise<void>): Promise<void> {
    const turn = (turns.get(id) ?? Promise.resolve()).then(act);
    turns.set(
      id,
      turn.catch(() => undefined),
    );
    return turn;
  }
  async function step(id: string, letter: Letter | null): Promise<void> {
    const known = last.has(id);
    if (known && (await isWorkedOn(id)))
      sometimes.add(
        letter ? "a document changes while it is worked on" : "a document is deleted while it is worked on",
      );
    scheduler.note(`! ${id} is ${letter ? `sent: ${JSON.stringify(letter)}` : "deleted"}`);
    if (letter) await insist(() => accept(id, letter));
    else await insist(() => operator.deleteDocument({ collection: "letters", id }));
    if (letter) last.set(id, letter);
    else last.delete(id);
    scheduler.note(`! ${id}: that is done`);
  }
  const deeds = makeDeeds({ operator, insist, parts, isWorkedOn, wait: (ms) => sleep(clock, ms) });
  return {
    lastLetters: last,
    get idle() {
      return busy === 0;
    },
    correspond: ({ id, steps }) =>
      doing(`the correspondence ${id}`, async () => {
        for (const { afterMs, letter } of steps) {
          await sleep(clock, afterMs);
          await inTurn(id, () => step(id, letter));
        }
      }),
    rewrite: (id, letter) =>
      doing(`rewriting ${id}`, () => inTurn(id, async () => void (last.has(id) && (await step(id, letter))))),
    operate: (deed) => doing(JSON.stringify(deed), () => deeds(deed)),
    requeue: (ids) =>
      doing("requeueing", async () => {
        await insist(() => operator.requeueDead({ ids }));
      }),
  };
}

interface DeedParts {
  readonly operator: Operator;
  readonly insist: <T>(act: () => Promise<T>) => Promise<T | null>;
  readonly parts: SceneParts;
  readonly isWorkedOn: (letter: string) => Promise<boolean>;
  readonly wait: (ms: number) => Promise<void>;
}

/** Longest wait of an operator for the most inconvenient moment. */
const patienceMs = 1_500;
const glanceMs = 60;

function makeDeeds({ operator, insist, parts, isWorkedOn, wait }: DeedParts): People["operate"] {
  const { ground, sometimes, chance, scheduler } = parts;
  const look = <Row extends object>(statement: Statement) =>
    scheduler.look(() => ground.real.query<Row>(statement));
  async function until(now: () => Promise<boolean>): Promise<boolean> {
    for (let waited = 0; waited < patienceMs; waited += glanceMs) {
      if (await now()) return true;
      await wait(glanceMs);
    }
    return false;
  }
  const some = (statement: Statement) => until(async () => (await look(statement)).length > 0);
  return async (deed) => {
    switch (deed.kind) {
      case "pause": {
        await some(sql`
          select 1 from headway.claim c join headway.stage s on s.id = c.stage where s.name = ${deed.stage}`);
        const paused = await insist(() => operator.pauseStage(deed.stage));
        if (paused?.changed && paused.running > 0) sometimes.add("a stage is paused while it is worked on");
        await wait(deed.forMs);
        return void (await insist(() => operator.resumeStage(deed.stage)));
      }
      case "policy": {
        if (await some(sql`select 1 from headway.task where reason = 'backoff'`))
          sometimes.add("a policy changes while tasks wait for their next try");
        const { stage, attempts } = deed;
        return void (await insist(() =>
          operator.setPolicy({ stage, kind: "transient", change: { attempts } }),
        ));
      }
      case "requeue": {
        await some(sql`select 1 from headway.dead_letter`);
        const moved = await insist(() => operator.requeueDead({}));
        if (moved && moved.requeued > 0) sometimes.add("a dead letter is requeued");
        return;
      }
      case "retry":
        return void (await insist(() => operator.retryNow({ collection: "letters", id: deed.letter })));
      case "cancel": {
        const worked = await until(() => isWorkedOn(deed.letter));
        const ended = await insist(() => operator.cancel({ collection: "letters", id: deed.letter }));
        if (worked && ended && ended.stages.length > 0)
          sometimes.add("a document is cancelled while it is worked on");
        return;
      }
      case "free worker": {
        const claims = sql`select worker from headway.claim order by id`;
        if (!(await some(claims))) return;
        const rows = await look<{ worker: number }>(claims);
        if (rows.length === 0) return;
        const { worker } = chance.pick(rows);
        const freed = await insist(() => operator.freeWorker(worker));
        if (freed && freed.freed > 0) sometimes.add("a worker is freed by hand");
        return;
      }
    }
  };
}
