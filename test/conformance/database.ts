import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../engine/src/store/database.ts";
import { isCommitUnknown, isConnectionError } from "../../engine/src/store/database.ts";
import { prepared, sql } from "../../engine/src/store/sql.ts";
import type { Current } from "./database-values.ts";
import { describeColumns, describeValues, refusal } from "./database-values.ts";

const openMs = 60_000;

/** The contract of `Database`, the same for each kind. */
export function describeDatabase(name: string, open: () => Promise<Database>): void {
  describe(name, () => {
    let db: Database;
    const current = () => db;
    beforeAll(async () => {
      db = await open();
      await db.script(`drop schema if exists "${db.schema}" cascade; create schema "${db.schema}"`);
      await db.script("create table headway.note (id int8 primary key, body text)");
    }, openMs);
    beforeEach(() => db.script("truncate headway.note"));
    afterAll(async () => {
      await db?.script(`drop schema "${db.schema}" cascade`);
      await db?.close();
    }, openMs);

    describe("values", () => describeValues(current));
    describe("columns", () => describeColumns(current));
    describe("statements", () => describeStatements(current));
    describe("transactions", () => describeTransactions(current));
    describe("notifications", () => describeNotifications(current));
    describe("sessions", () => describeSessions(current));
    describe("closing", () => describeClosing(open));
  });
}

async function ids(db: Database): Promise<number[]> {
  const notes = await db.query<{ id: number }>(sql`select id from headway.note order by id`);
  return notes.map(({ id }) => id);
}

function describeStatements(current: Current): void {
  it("an error carries its code and its constraint", async () => {
    const insert = () => current().query(sql`insert into headway.note (id) values (1)`);
    await insert();
    const error = await refusal(insert());
    expect(error).toMatchObject({ code: "23505", constraint: "note_pkey" });
    expect(error.message).toContain("duplicate key");
    expect(isConnectionError(error) || isCommitUnknown(error)).toBe(false);
  });

  it("a statement that is no SQL is refused with 42601, and the next one works", async () => {
    expect((await refusal(current().query(sql`selec 1`))).code).toBe("42601");
    expect(await current().query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
  });

  it("a statement is one statement", async () => {
    const error = await refusal(current().query(sql`select 1; select 2`));
    expect(error.code).toBe("42601");
  });

  it("a statement without rows returns none", async () => {
    expect(await current().query(sql`insert into headway.note (id) values (1)`)).toEqual([]);
    expect(await current().query(sql`select id from headway.note where id = ${99}`)).toEqual([]);
  });

  it("a prepared statement can be used again and again, at the same time too", async () => {
    const twice = (value: number) => prepared("twice", sql`select ${value}::int4 * 2 as twice`);
    const first = await Promise.all([1, 2, 3, 4].map((value) => current().query(twice(value))));
    expect(first.flat()).toEqual([{ twice: 2 }, { twice: 4 }, { twice: 6 }, { twice: 8 }]);
    expect(await current().query(twice(21))).toEqual([{ twice: 42 }]);
  });

  it("two statements may go by one name", async () => {
    expect(await current().query(prepared("same", sql`select 1 as a`))).toEqual([{ a: 1 }]);
    expect(await current().query(prepared("same", sql`select 2 as b`))).toEqual([{ b: 2 }]);
    expect(await current().query(prepared("same", sql`select 1 as a`))).toEqual([{ a: 1 }]);
  });

  it("a prepared statement that fails at first works later", async () => {
    const late = prepared("late", sql`select count(*) as count from headway.late`);
    expect((await refusal(current().query(late))).code).toBe("42P01");
    await current().script("create table headway.late (id int8)");
    expect(await current().query(late)).toEqual([{ count: 0 }]);
  });

  it("a prepared statement survives a change of its table after at most one failure per connection", async () => {
    const all = prepared("all", sql`select * from headway.changing`);
    await current().script(
      "create table headway.changing (id int8); insert into headway.changing values (1)",
    );
    await current().query(all);
    await current().script("alter table headway.changing add column body text");
    await current()
      .query(all)
      .catch(() => {});
    expect(await current().query(all)).toEqual([{ id: 1, body: null }]);
  });

  it("a script runs all of its statements or none", async () => {
    await current().script(
      "insert into headway.note values (1, 'a'); insert into headway.note values (2, 'b');",
    );
    const error = await refusal(
      current().script(
        "insert into headway.note values (3, 'c'); insert into headway.note values (1, 'again');",
      ),
    );
    expect(error.code).toBe("23505");
    expect(await ids(current())).toEqual([1, 2]);
  });

  it("its place says where it is and no password", () => {
    expect(current().place).toMatch(/\S/);
    expect(current().place).not.toMatch(/:[^/@]*@/);
  });
}

function describeTransactions(current: Current): void {
  const insert = (id: number) => sql`insert into headway.note (id) values (${id})`;

  it("what it did is there when it resolves, and its value comes back", async () => {
    const value = await current().transaction(async (tx) => {
      await tx.query(insert(1));
      await tx.query(insert(2));
      return "done";
    });
    expect(value).toBe("done");
    expect(await ids(current())).toEqual([1, 2]);
  });

  it("nothing of it is left when it throws, and the error is the one thrown", async () => {
    const mine = new Error("mine");
    const error = await refusal(
      current().transaction(async (tx) => {
        await tx.query(insert(1));
        throw mine;
      }),
    );
    expect(error).toBe(mine);
    expect(await ids(current())).toEqual([]);
  });

  it("a failing statement takes the rest with it", async () => {
    const error = await refusal(
      current().transaction(async (tx) => {
        await tx.query(insert(1));
        await tx.query(insert(1));
      }),
    );
    expect(error.code).toBe("23505");
    expect(await ids(current())).toEqual([]);
  });

  it("a failure in its first statement leaves nothing open", async () => {
    await refusal(current().transaction((tx) => tx.query(sql`selec`)));
    await current().transaction((tx) => tx.query(insert(1)));
    expect(await ids(current())).toEqual([1]);
  });

  it("a failure that the work keeps to itself does not pass for a commit", async () => {
    const error = await refusal(
      current().transaction(async (tx) => {
        await tx.query(insert(1));
        await tx.query(insert(1)).catch(() => {});
      }),
    );
    expect(error).toMatchObject({ code: "25P02", cause: { code: "23505" } });
    expect(await ids(current())).toEqual([]);
  });

  it("a savepoint saves what came before it", async () => {
    await current().transaction(async (tx) => {
      await tx.query(insert(1));
      await tx.query(sql`savepoint before`);
      await tx.query(insert(1)).catch(() => {});
      await tx.query(sql`rollback to before`);
      await tx.query(insert(2));
    });
    expect(await ids(current())).toEqual([1, 2]);
  });

  it("a constraint checked at the commit refuses it", async () => {
    await current().script(
      "create table headway.late_check (id int8 unique deferrable initially deferred); insert into headway.late_check values (1)",
    );
    const again = sql`insert into headway.late_check values (1)`;
    const error = await refusal(current().transaction((tx) => tx.query(again)));
    expect(error.code).toBe("23505");
    expect(isCommitUnknown(error)).toBe(false);
    expect(await current().query(sql`select * from headway.late_check`)).toEqual([{ id: 1 }]);
  });

  it("statements that nobody waited for still belong to it", async () => {
    await current().transaction(async (tx) => {
      void tx.query(insert(1));
      void tx.query(insert(2));
    });
    expect(await ids(current())).toEqual([1, 2]);
  });

  it("its statements may be sent at once", async () => {
    await current().transaction((tx) => Promise.all([1, 2, 3, 4, 5].map((id) => tx.query(insert(id)))));
    expect(await ids(current())).toEqual([1, 2, 3, 4, 5]);
  });

  it("it cannot be used after its end", async () => {
    const tx = await current().transaction(async (inner) => inner);
    expect((await refusal(tx.query(insert(1)))).message).toContain("has ended");
    expect(await ids(current())).toEqual([]);
  });

  it("a statement from outside neither sees nor joins it", async () => {
    let outside: Promise<number[]> | undefined;
    let written: Promise<unknown> | undefined;
    await refusal(
      current().transaction(async (tx) => {
        await tx.query(insert(1));
        outside = ids(current());
        // On PGlite both statements wait here; inside the transaction the second would be rolled back.
        written = outside.then(() => current().query(insert(2)));
        await pause(50);
        throw new Error("undone");
      }),
    );
    expect(await outside).toEqual([]);
    await written;
    expect(await ids(current())).toEqual([2]);
  });

  it("two of them do not lose an update", async () => {
    await current().query(sql`insert into headway.note (id, body) values (1, '0')`);
    const add = () =>
      current().transaction(async (tx) => {
        const [row] = await tx.query<{ body: string }>(
          sql`select body from headway.note where id = 1 for update`,
        );
        await pause(5);
        await tx.query(sql`update headway.note set body = ${String(Number(row?.body) + 1)} where id = 1`);
      });
    await Promise.all(Array.from({ length: 10 }, add));
    expect(await current().query(sql`select body from headway.note`)).toEqual([{ body: "10" }]);
  });

  it("200 at once all end, the good ones committed, the bad ones not", async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 200 }, (_, index) =>
        current().transaction(async (tx) => {
          await tx.query(prepared("insert-note", insert(index)));
          if (index % 4 === 0) await tx.query(sql`select 1 / 0`);
          await tx.query(prepared("count-notes", sql`select count(*) from headway.note`));
        }),
      ),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(150);
    expect(await ids(current())).toEqual(
      Array.from({ length: 200 }, (_, index) => index).filter((id) => id % 4),
    );
  });

  it("it sees what others have committed meanwhile: read committed", async () => {
    const level = await current().transaction((tx) => tx.query(sql`show transaction_isolation`));
    expect(level).toEqual([{ transaction_isolation: "read committed" }]);
  });
}

function describeNotifications(current: Current): void {
  const notify = (channel: string, payload: string) => sql`select pg_notify(${channel}, ${payload})`;

  it("what is said on a channel is heard there, and only there", async () => {
    const heard: string[] = [];
    const stop = await current().listen("one", (payload) => heard.push(payload));
    await current().query(notify("other", "no"));
    await current().query(notify("one", "yes"));
    await current().query(notify("one", ""));
    await expect.poll(() => heard).toEqual(["yes", ""]);
    await stop();
  });

  it("a channel may have any name and a payload any text", async () => {
    const heard: string[] = [];
    const stop = await current().listen('Odd "Name" – ü', (payload) => heard.push(payload));
    await current().query(notify('Odd "Name" – ü', 'ü"\\\n'));
    await expect.poll(() => heard).toEqual(['ü"\\\n']);
    await stop();
  });

  it("all who listen hear it, until each of them stops", async () => {
    const heard: string[] = [];
    const stopA = await current().listen("shared", () => heard.push("a"));
    const stopB = await current().listen("shared", () => heard.push("b"));
    await current().query(notify("shared", ""));
    await expect.poll(() => [...heard].sort()).toEqual(["a", "b"]);
    await stopA();
    await current().query(notify("shared", ""));
    await expect.poll(() => heard.filter((who) => who === "b")).toHaveLength(2);
    await stopB();
    await current().query(notify("shared", ""));
    await pause(50);
    expect(heard.filter((who) => who === "a")).toHaveLength(1);
    expect(heard).toHaveLength(3);
  });

  it("what a transaction says is heard after it has committed, and not when it has not", async () => {
    const heard: string[] = [];
    const stop = await current().listen("tx", (payload) => heard.push(payload));
    await refusal(
      current().transaction(async (tx) => {
        await tx.query(notify("tx", "undone"));
        throw new Error("undone");
      }),
    );
    await current().transaction((tx) => tx.query(notify("tx", "done")));
    await expect.poll(() => heard).toEqual(["done"]);
    await stop();
  });
}

function describeSessions(current: Current): void {
  it("a session is alive until it is closed, and locks", async () => {
    const session = await current().session();
    let lost = 0;
    session.onLost(() => {
      lost += 1;
    });
    expect(session.alive).toBe(true);
    expect(await session.lock(2n ** 62n)).toBe(true);
    await session.close();
    expect(session.alive).toBe(false);
    await pause(20);
    expect(lost).toBe(0);
  });
}

function describeClosing(open: () => Promise<Database>): void {
  it("what runs may end, what comes later is refused", { timeout: openMs }, async () => {
    const db = await open();
    const running = db.query(sql`select 1 as one`);
    const closing = db.close();
    expect(await running).toEqual([{ one: 1 }]);
    for (const late of [
      () => db.query(sql`select 1`),
      () => db.transaction(async () => 1),
      () => db.script("select 1"),
      () => db.listen("late", () => {}),
      () => db.session(),
    ]) {
      expect((await refusal(late())).message).toContain("closed");
    }
    await closing;
    await db.close();
  });
}
