import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sql } from "../store/sql.ts";
import { readFolderHolder } from "./folder-lock.ts";
import { makeFrames } from "./frames.ts";
import { type EmbeddedDatabase, openPglite } from "./pglite.ts";
import { openRemote, type RemoteDatabase } from "./remote.ts";
import { type Sharing, shareDatabase } from "./share.ts";
import { packStatement, shareUpgrade } from "./share-protocol.ts";

describe("the door of an embedded database", () => {
  let folder: string;
  let owner: EmbeddedDatabase;
  let sharing: Sharing;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "headway-share-"));
    owner = await openPglite({ folder, inline: true });
    sharing = (await shareDatabase(owner)) as Sharing;
    await owner.script("create schema headway; create table headway.note (id int8 primary key)");
  }, 60_000);
  afterAll(async () => {
    await sharing.close();
    await owner.close();
    await rm(folder, { recursive: true, force: true });
  });

  const enter = async (): Promise<RemoteDatabase> => {
    const holder = await readFolderHolder(folder);
    return (holder && (await openRemote(folder, holder))) as RemoteDatabase;
  };
  const knock = (headers: Record<string, string>): Promise<Duplex | number> =>
    new Promise((resolve) => {
      const asking = request(sharing.url, {
        headers: { connection: "Upgrade", upgrade: shareUpgrade, ...headers },
      });
      asking
        .on("upgrade", (_, socket) => resolve(socket))
        .on("response", ({ statusCode }) => resolve(statusCode ?? 0));
      asking.end();
    });
  const notes = async () =>
    (await owner.query<{ id: number }>(sql`select id from headway.note`)).map(({ id }) => id);

  it("is shut for those without the token, and for pages of another origin", async () => {
    expect(await knock({})).toBe(401);
    expect(await knock({ authorization: "Bearer guessed" })).toBe(401);
    const authorization = `Bearer ${sharing.token}`;
    expect(await knock({ authorization, origin: "http://example.org" })).toBe(401);
    const socket = (await knock({ authorization })) as Duplex;
    socket.destroy();
  });

  it("refuses a client whose token is not that of the folder", async () => {
    const token = sharing.token;
    await writeFile(join(folder, "token"), "another");
    await expect(enter()).rejects.toThrow("is the token its own?");
    await writeFile(join(folder, "token"), token);
  });

  it("rolls back what a client had begun when it goes without a word", async () => {
    const socket = (await knock({ authorization: `Bearer ${sharing.token}` })) as Duplex;
    const told: { kind: string; id?: number }[] = [];
    const statement = packStatement(sql`insert into headway.note values (1)`);
    await new Promise<void>((resolve) => {
      const frames = makeFrames(socket, {
        onValue(value) {
          const one = value as { kind: string; id?: number };
          told.push(one);
          if (one.id === 1) frames.send({ id: 2, kind: "statement", tx: 1, statement });
          if (one.id === 2) resolve();
        },
        onEnd: () => undefined,
      });
      frames.send({ id: 1, kind: "begin" });
    });
    socket.destroy();
    // Waits until the transaction has ended: on PGlite every statement does.
    expect(await notes()).toEqual([]);
    expect(told.filter(({ kind }) => kind === "answer")).toHaveLength(2);
  });

  it("tells its clients when the owner ends", async () => {
    const remote = await enter();
    const session = await remote.session();
    const lost = new Promise<void>((resolve) => session.onLost(resolve));
    const waiting = remote.transaction(async (tx) => {
      await tx.query(sql`select 1`);
      await lost;
      return await tx.query(sql`select 1`);
    });
    await sharing.close();
    await expect(waiting).rejects.toMatchObject({ code: "08006" });
    expect(session.alive).toBe(false);
    sharing = (await shareDatabase(owner)) as Sharing;
  });
});
