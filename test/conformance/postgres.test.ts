import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import type { Database } from "../../engine/src/store/database.ts";
import { isCommitUnknown, isConnectionError } from "../../engine/src/store/database.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { openGate } from "../support/gate.ts";
import { refusal } from "./database-values.ts";

const url = process.env.HEADWAY_TEST_POSTGRES ?? "";
const schema = `postgres_${randomUUID().slice(0, 8)}`;

/** Failures only a network server can have: unreachable, or disconnected. */
describe("PostgreSQL over a network", () => {
  let direct: Database;
  beforeAll(async () => {
    direct = await openPostgres({ url, schema });
    await direct.script(`create schema "${schema}"`);
    await direct.script("create table headway.note (id int8 primary key)");
  });
  afterAll(async () => {
    await direct.script(`drop schema "${schema}" cascade`);
    await direct.close();
  });

  const ids = async (): Promise<number[]> =>
    (await direct.query<{ id: number }>(sql`select id from headway.note order by id`)).map(({ id }) => id);
  const insert = (id: number) => sql`insert into headway.note values (${id})`;
  const killAll = (applicationName: string) =>
    direct.query(sql`
    select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${applicationName}
  `);

  it("a commit whose answer is lost is told apart from one that failed", async () => {
    const gate = await openGate(url);
    const db = await openPostgres({ url: gate.url, schema });
    // With the final NUL, because "read committed" is sent before.
    gate.cutAnswerTo("commit\0");
    const error = await refusal(db.transaction((tx) => tx.query(insert(1))));
    expect(isCommitUnknown(error) && isConnectionError(error)).toBe(true);
    expect(error.code).toBe("08007");
    await expect.poll(ids).toContain(1);
    await db.transaction((tx) => tx.query(insert(2)));
    expect(await ids()).toContain(2);
    await db.close();
    await gate.close();
  });

  it("so is a statement on its own whose answer is lost", async () => {
    const gate = await openGate(url);
    const db = await openPostgres({ url: gate.url, schema });
    gate.cutAnswerTo("insert into");
    expect(isCommitUnknown(await refusal(db.query(insert(3))))).toBe(true);
    await expect.poll(ids).toContain(3);
    await db.close();
    await gate.close();
  });

  it("a connection lost inside of a transaction is no question: nothing was committed", async () => {
    const gate = await openGate(url);
    const db = await openPostgres({ url: gate.url, schema });
    gate.cutAnswerTo("insert into");
    const error = await refusal(db.transaction((tx) => tx.query(insert(4))));
    expect(isConnectionError(error)).toBe(true);
    expect(isCommitUnknown(error)).toBe(false);
    expect(await ids()).not.toContain(4);
    expect(await db.query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
    await db.close();
    await gate.close();
  });

  it("a connection that breaks while the work does something else fails the transaction, not the process", async () => {
    const applicationName = `headway-victim-${randomUUID()}`;
    const db = await openPostgres({ url, schema, applicationName });
    const error = await refusal(
      db.transaction(async (tx) => {
        await tx.query(insert(5));
        await killAll(applicationName);
        await pause(100);
        await tx.query(insert(6));
      }),
    );
    expect(isConnectionError(error)).toBe(true);
    expect(isCommitUnknown(error)).toBe(false);
    expect(await db.query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
    await db.close();
  });

  it("connections that break while idle are replaced in silence", async () => {
    const applicationName = `headway-victim-${randomUUID()}`;
    const db = await openPostgres({ url, schema, applicationName });
    await Promise.all([1, 2, 3].map(() => db.query(sql`select pg_sleep(0.01)`)));
    await killAll(applicationName);
    await pause(100);
    expect(await db.query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
    await db.close();
  });

  it("a session has a line of its own, also while all connections are taken, and a transaction on it is its own", async () => {
    const db = await openPostgres({ url, schema, poolMax: 1 });
    const session = await db.session();
    const line = session.line as NonNullable<typeof session.line>;
    const locked = refusal(
      db.transaction(async () => {
        const failing = line.transaction(async (tx) => {
          await tx.query(insert(7));
          await tx.query(sql`select 1 / 0`);
        });
        const next = line.query(insert(8));
        expect((await refusal(failing)).code).toBe("22012");
        await next;
        await line.transaction((tx) => tx.query(insert(9)));
        throw new Error("enough");
      }),
    );
    expect((await locked).message).toBe("enough");
    const known = await ids();
    expect([7, 8, 9].filter((id) => known.includes(id))).toEqual([8, 9]);
    await session.close();
    await db.close();
  });

  it("who dies while it waits for a lock soon leaves those that it has", async () => {
    const gate = await openGate(url);
    const dying = await openPostgres({ url: gate.url, schema });
    const lock = (id: number) => sql`select 1 from headway.note where id = ${id} for update`;
    await direct.query(insert(10));
    await direct.query(insert(11));
    await direct.transaction(async (tx) => {
      await tx.query(lock(11));
      const died = refusal(
        dying.transaction(async (other) => {
          await other.query(lock(10));
          await other.query(lock(11));
        }),
      );
      const held = async () =>
        (await direct.query(sql`select 1 from headway.note where id = 10 for update skip locked`)).length;
      await expect.poll(held).toBe(0);
      await expect
        .poll(() =>
          direct.query(
            sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%note%'`,
          ),
        )
        .not.toEqual([]);
      await gate.close();
      expect(isConnectionError(await died)).toBe(true);
      await expect.poll(held, { timeout: 5_000 }).toBe(1);
    });
    await dying.close();
  });

  it("listening goes on after its connection was lost", async () => {
    const applicationName = `headway-victim-${randomUUID()}`;
    const db = await openPostgres({ url, schema, applicationName });
    const channel = `news-${randomUUID()}`;
    const heard: string[] = [];
    await db.listen(channel, (payload) => heard.push(payload));
    await killAll(applicationName);
    await expect
      .poll(
        async () => {
          await direct.query(sql`select pg_notify(${channel}, 'still there?')`);
          return heard.length;
        },
        { timeout: 10_000 },
      )
      .toBeGreaterThan(0);
    await db.close();
  });

  it("a lock belongs to one session, is free after its loss, and the loss is told once", async () => {
    const applicationName = `headway-victim-${randomUUID()}`;
    const db = await openPostgres({ url, schema, applicationName });
    const key = BigInt(Date.now());
    const [mine, theirs] = [await db.session(), await direct.session()];
    let lost = 0;
    mine.onLost(() => {
      lost += 1;
    });
    expect(await mine.lock(key)).toBe(true);
    expect(await theirs.lock(key)).toBe(false);
    await killAll(applicationName);
    await expect.poll(() => lost).toBe(1);
    expect(mine.alive).toBe(false);
    expect(isConnectionError(await refusal(mine.lock(key)))).toBe(true);
    expect(await theirs.lock(key)).toBe(true);
    await theirs.close();
    await db.close();
    expect(lost).toBe(1);
  });

  it("closing does not wait for ever for a transaction that never ends", async () => {
    const db = await openPostgres({ url, schema, poolMax: 1 });
    const hanging = db.transaction(async (tx) => {
      await tx.query(insert(7));
      await new Promise(() => {});
    });
    void hanging.catch(() => {});
    const waiting = refusal(db.query(sql`select 1`));
    await pause(50);
    await db.close();
    expect((await waiting).message).toContain("closed");
    await expect.poll(ids).not.toContain(7);
  });
});

describe("a PostgreSQL that cannot be opened", () => {
  const sentence = async (wrong: string): Promise<string> =>
    (await refusal(openPostgres({ url: wrong }))).message;

  it("is out of reach: the sentence says where, never the password", async () => {
    const message = await sentence("postgres://ann:s3cret%21@127.0.0.1:1/papers");
    expect(message).toBe(
      "postgres://ann@127.0.0.1:1/papers cannot be reached (connect ECONNREFUSED 127.0.0.1:1): is it running, and may this machine connect to it?",
    );
  });

  it("has no such database", async () => {
    const missing = new URL(url);
    missing.pathname = "/no_such_database";
    expect(await sentence(missing.href)).toContain('has no database "no_such_database": create it');
  });

  it("has a URL that cannot be read, which is not repeated", async () => {
    for (const wrong of ["", "mysql://ann:s3cret@host/db", "postgres://ann:s3cret@host:port/db"]) {
      const message = await sentence(wrong);
      expect(message).toContain("The database URL cannot be read; expected postgres://");
      expect(message).not.toContain("s3cret");
    }
  });

  it("has a schema name that is none", async () => {
    const error = await refusal(openPostgres({ url, schema: 'a"; drop table x; --' }));
    expect(error.message).toContain("is not usable");
  });
});
