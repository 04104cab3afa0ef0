import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { readRuns } from "@headway/intake";
import { openPostgres } from "../engine/src/databases/postgres.ts";
import { type Database, sql } from "../engine/src/index.ts";
import { openOperator } from "../engine/src/operate.ts";
import { virtualClock } from "../engine/src/testing.ts";
import { type HeadwayProcess, startHeadway } from "../test/consensus/headway-process.ts";
import { type Dovecot, openDovecot } from "../test/support/dovecot.ts";
import { type Gate, openGate } from "../test/support/gate.ts";

export interface SourcesStorm {
  readonly archive: string;
  readonly minutes: number;
  readonly seed: number;
  /** At most so many mails of the archive. */
  readonly mailsMax: number;
  readonly tell: (line: string) => void;
}

export interface SourcesOutcome {
  readonly seed: number;
  readonly delivered: number;
  readonly lost: number;
  readonly doubled: number;
  readonly dead: number;
  readonly strikes: Readonly<Record<string, number>>;
}

const services = fileURLToPath(new URL("../tools/services.sh", import.meta.url));
const crewSize = 2;
const calmMs = 10 * 60_000;

/**
 * Mails of an archive arrive in a mailbox, mail by mail, while the mail server, the network, its certificate and the
 * workers break at random. Afterwards every mail has to be there, and only once.
 */
export async function stormSources(storm: SourcesStorm): Promise<SourcesOutcome> {
  const { archive, minutes, seed, mailsMax, tell } = storm;
  const mails = splitMails(await readFile(archive)).slice(0, mailsMax);
  const { random } = virtualClock({ seed });
  const scene = await openScene(`sources_${seed}_${process.pid}`);
  try {
    const over = new AbortController();
    const strikes: Record<string, number> = {};
    const crew = startCrew(scene);
    const striking = strikeUntil(over.signal, { scene, crew, random, strikes });
    const hurrying = hurry(scene.database, over.signal);
    const gapMs = (minutes * 60_000) / mails.length;
    for (const mail of mails) {
      await scene.dovecot.deliver(mail, "tide");
      await pause(2 * gapMs * random());
    }
    over.abort();
    await striking;
    await hurrying;
    tell(`${mails.length} mails delivered, ${Object.values(strikes).reduce((a, b) => a + b, 0)} strikes.`);
    await calm(scene, mails.length);
    await crew.stop();
    return { seed, delivered: mails.length, strikes, ...(await count(scene.database, mails)) };
  } finally {
    await scene.close();
  }
}

/** Mails of an mbox without their separators. */
export const splitMails = (archive: Buffer): Buffer[] =>
  archive
    .toString("latin1")
    .split(/^From .*[ :]\d{4}\n/m)
    .filter((one) => one.trim() !== "")
    .map((one) => Buffer.from(one.replace(/\n$/, ""), "latin1"));

interface Scene {
  readonly dovecot: Dovecot;
  readonly gate: Gate;
  readonly database: Database;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

async function openScene(schema: string): Promise<Scene> {
  const given = process.env.HEADWAY_TEST_POSTGRES;
  const url = given ?? execFileSync("bash", [services, "url"], { encoding: "utf8" }).trim();
  const folder = await mkdtemp(join(tmpdir(), "headway-sources-"));
  const dovecot = await openDovecot();
  const gate = await openGate(`imaps://127.0.0.1:${dovecot.tlsPort}`);
  const env = {
    HEADWAY_DATABASE_URL: `${url}?schema=${schema}`,
    HEADWAY_SECRET_KEY: randomBytes(32).toString("base64"),
    HEADWAY_LIST_QUIET: "500ms",
    HEADWAY_THREAD_QUIET: "500ms",
    NODE_EXTRA_CA_CERTS: dovecot.certificate,
    MAIL_PASSWORD: dovecot.password,
  };
  const place = `imaps://ann@127.0.0.1:${new URL(gate.url).port}/tide`;
  const words = ["--every", "2s", "--list", "tide", "--allow-private", "--secret-env", "MAIL_PASSWORD"];
  const adding = startHeadway(["sources", "add", "tide", place, ...words], { cwd: folder, env });
  const added = await adding.ended;
  if (added.code !== 0) throw new Error(`The source cannot be added: ${added.err}`);
  const database = await openPostgres({ url, schema });
  return {
    dovecot,
    gate,
    database,
    folder,
    env,
    async close() {
      await database.script(`drop schema if exists "${schema}" cascade`);
      await database.close();
      await gate.close();
      await dovecot.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

interface Crew {
  /** Kills a worker, if any is up; a new worker takes the place. */
  kill(random: () => number): boolean;
  stop(): Promise<void>;
}

function startCrew({ folder, env }: Scene): Crew {
  const crew = new Set<HeadwayProcess>();
  const up = new Set<HeadwayProcess>();
  let [hired, over] = [0, false];
  const hire = () => {
    const one = startHeadway(["work", "--data", join(folder, `worker-${hired++}`)], { cwd: folder, env });
    crew.add(one);
    one.saying(/Headway is up/).then(
      () => up.add(one),
      () => undefined,
    );
    void one.ended.then(() => {
      up.delete(one);
      crew.delete(one);
      if (!over) hire();
    });
  };
  for (let at = 0; at < crewSize; at++) hire();
  return {
    kill(random) {
      const victim = [...up][Math.floor(random() * up.size)];
      if (victim) up.delete(victim);
      victim?.kill();
      return victim !== undefined;
    },
    async stop() {
      over = true;
      for (const one of crew) one.kill();
      await Promise.all([...crew].map((one) => one.ended));
    },
  };
}

interface Striking {
  readonly scene: Scene;
  readonly crew: Crew;
  readonly random: () => number;
  readonly strikes: Record<string, number>;
}

/** Strikes in a row: each is over before the next, and all are over in the end. */
async function strikeUntil(over: AbortSignal, { scene, crew, random, strikes }: Striking): Promise<void> {
  const { dovecot, gate } = scene;
  const lastMs = () => 300 + 3_000 * random();
  const kinds: Readonly<Record<string, () => Promise<boolean>>> = {
    async "kill a worker"() {
      return crew.kill(random);
    },
    async "kill the mail server"() {
      await dovecot.kill();
      await pause(lastMs());
      await dovecot.start();
      return true;
    },
    async "cut the network"() {
      gate.cutAll();
      return true;
    },
    async "cut within an answer"() {
      gate.cutAfter(Math.floor(20_000 * random()));
      return true;
    },
    async "slow network"() {
      gate.delay(400 * random());
      await pause(lastMs());
      gate.delay(0);
      return true;
    },
    async "silent network"() {
      gate.swallow();
      await pause(lastMs());
      gate.release(random() < 0.5 ? "deliver" : "break");
      return true;
    },
    async "strange certificate"() {
      for (const is of [true, false]) {
        await dovecot.kill();
        await dovecot.distrust(is);
        await dovecot.start();
        await pause(is ? lastMs() : 0);
      }
      return true;
    },
  };
  const names = Object.keys(kinds);
  while (!over.aborted) {
    const name = names[Math.floor(random() * names.length)] as string;
    if (await kinds[name]?.()) strikes[name] = (strikes[name] ?? 0) + 1;
    await pause(200 + 1_500 * random());
  }
}

/** A host in an outage is left alone for minutes; here an operator asks again every few seconds. */
async function hurry(database: Database, over: AbortSignal): Promise<void> {
  const operator = await openOperator({ database, actor: "chaos" });
  while (!over.aborted) {
    await pause(1_500);
    await askAgain(database, operator).catch(() => undefined);
  }
}

async function askAgain(
  database: Database,
  operator: Awaited<ReturnType<typeof openOperator>>,
): Promise<void> {
  await database.query(sql`update headway.source_host set probe_at = '2000-01-01'`);
  const [newest] = await readRuns(database, { source: "tide", limit: 1 });
  if (newest?.state === "waiting" && newest.fault)
    await operator.retryNow({ collection: "source_runs", id: newest.document.replace("source_runs/", "") });
}

/** Waits until all delivered mails are read and done, without any strike. */
async function calm({ database }: Scene, wanted: number): Promise<void> {
  const operator = await openOperator({ database, actor: "chaos" });
  const end = Date.now() + calmMs;
  for (;;) {
    const [row] = await database.query<{ archives: number; open: number }>(sql`
      select (select count(*)::int from headway_read.archives) as archives,
        (select count(*)::int from headway_read._tasks where state = 'waiting' and collection <> 'source_runs') as open`);
    if (row && row.archives >= wanted && row.open === 0) return;
    if (Date.now() > end) throw new Error(`Not calm: ${JSON.stringify(row)} of ${wanted} mails.`);
    await askAgain(database, operator).catch(() => undefined);
    await pause(1_000);
  }
}

/** Mails by their Message-ID: each must be there as a single message. */
async function count(database: Database, mails: readonly Buffer[]) {
  const ids = mails.map((mail) => /^message-id:\s*<([^>]+)>/im.exec(mail.toString("latin1"))?.[1] ?? "");
  const found = await database.query<{ id: string; copies: number }>(sql`
    select m.body ->> 'messageId' as id, jsonb_array_length(m.body -> 'occurrences') as copies
    from headway_read.messages m`);
  const copies = new Map<string, number>();
  for (const { id, copies: times } of found) copies.set(id, (copies.get(id) ?? 0) + times);
  const wanted = new Map<string, number>();
  for (const id of ids) wanted.set(id, (wanted.get(id) ?? 0) + 1);
  const [dead] = await database.query<{ dead: number }>(
    sql`select count(*)::int as dead from headway_read._dead_letters where stage <> 'fetching'`,
  );
  return {
    lost: [...wanted].filter(([id, times]) => (copies.get(id) ?? 0) < times).length,
    doubled: [...copies].filter(([id, times]) => times > (wanted.get(id) ?? 0)).length,
    dead: dead?.dead ?? 0,
  };
}
