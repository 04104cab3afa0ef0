import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { checkCores, checkNode } from "../../cli/src/checkup/machine.ts";
import { dumpAdvice } from "../../cli/src/commands/backup.ts";
import { startConsensus } from "../../pipelines/consensus/src/consensus.ts";
import { readSettings } from "../../pipelines/consensus/src/settings.ts";
import { runHeadway } from "../consensus/headway-process.ts";
import { hashDatabase } from "../support/whole-database.ts";
import { headway, type SmallList, serverUrl, statement, useSmallLists } from "./small-list.ts";

afterEach(() => void vi.unstubAllEnvs());

/** Each command opens a database anew, which takes time on a busy machine. */
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

/** A port without a listener. */
const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

const rowsOf = (out: string) =>
  out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

describe.each(["pglite", "postgres"] as const)("trust on %s", (kind) => {
  const lists = useSmallLists();
  let list: SmallList;
  beforeAll(async () => {
    list = await lists.read(kind);
  });

  it("where all is well, every promise holds", async () => {
    const { code, out } = await list.headway("verify");
    expect(code).toBe(0);
    expect(out).toMatch(/^All 15 promises hold, over \d+ rows\.$/m);
  });

  it("the first broken promise is named with its documents and what to do, and the exit code is 1", async () => {
    await list.withDatabase((database) =>
      database.query(
        statement(
          `delete from headway.done where stage = (select id from headway.stage where name = 'chunking')`,
        ),
      ),
    );
    const { code, out, err } = await runHeadway(["verify", ...list.flags], { cwd: list.folder });
    expect(code).toBe(1);
    expect(out).toMatch(/^broken: document-without-producer\n +Every document comes from/);
    expect(out).toContain("chunks/tides/");
    expect(out).toContain("also broken: stage-not-owed, 3 rows");
    expect(err).toContain("Put right what can be with: headway verify --repair");
  });

  it("a dry run of a repair changes nothing; the repair puts it right and stands in the audit", async () => {
    const before = await list.withDatabase(hashDatabase);
    const dry = await list.headway("verify", "--repair", "--dry-run");
    expect(dry).toMatchObject({ code: 1 });
    expect(dry.err).toContain("What can be put right would be by: headway verify --repair");
    expect(await list.withDatabase(hashDatabase)).toBe(before);

    vi.stubEnv("HEADWAY_ACTOR", "ann");
    const { out } = await list.headway("verify", "--repair", "--why", "the disk was full");
    expect(out).toContain("repaired 3 × stage-not-owed");
    const { out: acts } = await list.headway("audit", "--json", "--actor", "ann", "--act", "ledger");
    expect(rowsOf(acts)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          act: "ledger.repair",
          actor: "ann",
          why: "the disk was full",
          target: "stage-not-owed",
        }),
      ]),
    );
    await list.headway("ingest", join(list.folder, "tides.mbox"));
    expect(await list.headway("verify")).toMatchObject({ code: 0 });
  });

  it("the audit can be filtered by time, person and act, and paged", async () => {
    const of = async (...words: string[]) => rowsOf((await list.headway("audit", "--json", ...words)).out);
    const all = await of();
    expect(all.length).toBeGreaterThan(0);
    expect(await of("--since", "2999")).toEqual([]);
    expect(await of("--actor", "nobody")).toEqual([]);
    expect(await of("--act", "ledger.repair")).toEqual(all.filter(({ act }) => act === "ledger.repair"));
    const [newest] = await of("--limit", "1");
    expect(newest).toEqual(all[0]);
    expect(await of("--before", String(newest.id))).toEqual(all.slice(1));
    const { out } = await list.headway("audit");
    expect(out).toMatch(/^ *ID +AT +WHO +ACT +ON +WHY$/m);
  });

  it("the doctor finds nothing bad, and says what it looked at", async () => {
    const { code, out } = await list.headway("doctor", "--deep", "--json");
    const findings = rowsOf(out);
    expect(findings.filter(({ state }) => state === "bad")).toEqual([]);
    expect(code).toBe(0);
    expect(findings.map(({ check }) => check)).toEqual(
      [
        "node isolation cores folder disk database pgvector clock locks migrations work blobs embedding summaries",
      ].flatMap((line) => line.split(" ")),
    );
  });

  it("the doctor sees archives that lost their bytes, that were damaged, and bytes that are nobody's", async () => {
    const bytes = await (kind === "pglite" ? bytesInFolder(list) : bytesInDatabase(list));
    const blobsNow = async (...words: string[]) =>
      rowsOf((await list.headway("doctor", "--json", ...words)).out).find(({ check }) => check === "blobs");

    await bytes.damage();
    expect(await blobsNow()).toMatchObject({ state: "ok" });
    expect(await blobsNow("--deep")).toMatchObject({
      state: "bad",
      says: expect.stringContaining("damaged (tides/"),
    });
    await bytes.lose();
    expect(await blobsNow()).toMatchObject({
      state: "bad",
      says: expect.stringContaining("headway ingest PATH"),
    });
    await list.headway("ingest", join(list.folder, "tides.mbox"));
    const stray = await bytes.addStray();
    expect(await blobsNow("--deep")).toMatchObject({
      state: "warn",
      says: expect.stringMatching(new RegExp(`^1 archive is whole; .* in ${bytes.place} .*${stray}`)),
    });
  });
});

/** Possible damage to the bytes of an archive behind the commands' back. */
interface Bytes {
  readonly place: string;
  damage(): Promise<unknown>;
  lose(): Promise<unknown>;
  /** Adds bytes without an archive, and returns their name. */
  addStray(): Promise<string>;
}

const stray = createHash("sha256").update("stray").digest("hex");

async function bytesInFolder(list: SmallList): Promise<Bytes> {
  const place = join(list.folder, "kept", "blobs");
  const shelf = (await readdir(place)).find((name) => name.length === 2) as string;
  const path = join(place, shelf, (await readdir(join(place, shelf)))[0] as string);
  const whole = await readFile(path);
  return {
    place,
    damage: () => writeFile(path, Buffer.concat([whole.subarray(0, -1), Buffer.from("!")])),
    lose: () => rm(path),
    async addStray() {
      await mkdir(join(place, stray.slice(0, 2)), { recursive: true });
      await writeFile(join(place, stray.slice(0, 2), stray.slice(2)), "stray");
      return stray;
    },
  };
}

async function bytesInDatabase(list: SmallList): Promise<Bytes> {
  const query = (text: string) => list.withDatabase((database) => database.query(statement(text)));
  return {
    place: "the table headway.blob",
    damage: () => query("update headway.blob_piece set bytes = set_byte(bytes, 0, get_byte(bytes, 0) # 1)"),
    lose: () => query("delete from headway.blob_piece"),
    async addStray() {
      await query(
        `insert into headway.blob (hash, size, whole, written_at) values ('${stray}', 0, true, '2024-01-01')`,
      );
      return stray;
    },
  };
}

describe("headway doctor", () => {
  const lists = useSmallLists();

  it("a database that cannot be reached is bad, and costs the others nothing", async () => {
    const folder = await lists.folder();
    const words = [
      "doctor",
      "--json",
      "--data",
      folder,
      "--database",
      "postgres://me:secret@127.0.0.1:1/none",
    ];
    const { code, out } = await runHeadway(words, { cwd: folder });
    expect(code).toBe(1);
    expect(rowsOf(out).find(({ check }) => check === "database")).toMatchObject({ state: "bad" });
    expect(rowsOf(out).find(({ check }) => check === "embedding")).toMatchObject({ state: "ok" });
    expect(out).not.toContain("secret");
  });

  it("a server that does not answer, a broker and an impossible setting are told", async () => {
    const folder = await lists.folder();
    vi.stubEnv("HEADWAY_LLM_URL", `http://127.0.0.1:${await freePort()}/v1`);
    vi.stubEnv("HEADWAY_LLM_MODEL", "tiny");
    vi.stubEnv("HEADWAY_BROKER_URL", `amqp://me:secret@127.0.0.1:${await freePort()}`);
    const findings = rowsOf((await headway("doctor", "--json", "--data", folder)).out);
    const said = (check: string) => findings.find((one) => one.check === check);
    expect(said("summaries")).toMatchObject({ state: "bad", says: expect.stringContaining("ECONNREFUSED") });
    expect(said("broker")).toMatchObject({
      state: "bad",
      says: expect.stringMatching(/^Nothing listens at 127\.0\.0\.1:\d+: start RabbitMQ/),
    });
    vi.stubEnv("HEADWAY_POLL", "soon");
    const { code, out } = await headway("doctor", "--data", folder);
    expect(code).toBe(1);
    expect(out).toContain('HEADWAY_POLL is "soon"');
    expect(out).not.toContain("secret");
  });

  it("an old Node is told which one is recommended", () => {
    expect(checkNode("20.20.0")).toMatchObject({
      state: "warn",
      says: expect.stringContaining("install Node 24"),
    });
    expect(checkNode("24.1.0")).toMatchObject({ state: "ok" });
    expect(checkCores(64, { used: 2, present: 2, limitedBy: "machine" })).toMatchObject({
      state: "warn",
      says: "Isolated stages use 2 of 2 cores: HEADWAY_CORES is 64, and more processes than cores would only cost memory.",
    });
    expect(checkCores(1, { used: 1, present: 2, limitedBy: "setting" })).toMatchObject({ state: "ok" });
  });
});

describe("headway config", () => {
  const lists = useSmallLists();

  it("every value has its origin, and no secret is shown", async () => {
    const file = join(await lists.folder(), "settings.json");
    await writeFile(file, JSON.stringify({ HEADWAY_SLOTS: "8", RETRY_JOB_MAX_ATTEMPTS_MESSAGES: "4" }));
    vi.stubEnv("HEADWAY_CONFIG", file);
    vi.stubEnv("HEADWAY_POLL", "500ms");
    vi.stubEnv("HEADWAY_LLM_KEY", "sk-very-secret");
    vi.stubEnv("HEADWAY_DATABASE_URL", "postgres://me:secret@host/name");
    vi.stubEnv("HEADWAY_BROKER_URL", "amqp://me:secret@broker/list");
    const { code, out } = await headway("config", "--json", "--data", "elsewhere");
    expect(code).toBe(0);
    expect(out).not.toContain("secret");
    const held = new Map(rowsOf(out).map((row) => [row.variable, `${row.value} ${row.from}`]));
    expect(held.get("HEADWAY_DATA")).toMatch(/elsewhere flag$/);
    expect(held.get("HEADWAY_DATABASE_URL")).toBe("postgres://***@host/name environment");
    expect(held.get("HEADWAY_BROKER_URL")).toBe("amqp://***@broker/list environment");
    expect(held.get("HEADWAY_BROKER_EXCHANGE")).toBe("headway.events default");
    expect(held.get("HEADWAY_SLOTS")).toBe("8 file");
    expect(held.get("HEADWAY_POLL")).toBe("500ms environment");
    expect(held.get("HEADWAY_LLM_KEY")).toBe("*** environment");
    expect(held.get("RETRY_JOB_STUCK_THRESHOLD_HOURS")).toBe("1d default");
    for (const [variable, value] of Object.entries({ ARCHIVES: 3, CHUNKS: 5, THREADS: 5 }))
      expect(held.get(`RETRY_JOB_MAX_ATTEMPTS_${variable}`)).toBe(`${value} default`);
    expect(held.get("RETRY_JOB_MAX_ATTEMPTS_MESSAGES")).toBe("4 file");
  });

  it("a value that a start would refuse is refused here with the same sentence", async () => {
    vi.stubEnv("RETRY_MAX_ATTEMPTS", "many");
    expect(await headway("config")).toMatchObject({
      code: 1,
      err: 'headway: RETRY_MAX_ATTEMPTS is "many"; it must be a number.\n',
    });
  });
});

describe("headway backup and restore", () => {
  const lists = useSmallLists();
  let list: SmallList;
  let backup: string;
  beforeAll(async () => {
    list = await lists.read("pglite");
    backup = join(list.folder, "one.tar.gz");
  });

  const threadsIn = async (...flags: string[]) => rowsOf((await headway("export", "threads", ...flags)).out);

  it("a backup is restored as it was, and every promise holds", async () => {
    expect(await list.headway("backup", backup)).toMatchObject({ code: 0, out: `${backup}\n` });
    expect((await headway("restore", backup, "--dry-run")).out).toContain("is whole");
    const restored = join(list.folder, "restored");
    const { code, out } = await runHeadway(["restore", backup, "--data", restored], { cwd: list.folder });
    expect(code).toBe(0);
    expect(out).toContain("Every promise holds");
    expect(await threadsIn("--data", restored)).toEqual(await threadsIn(...list.flags));
    expect(await headway("doctor", "--deep", "--data", restored)).toMatchObject({ code: 0 });
  });

  it("it is made also while another process has the database open, and is whole", async () => {
    const data = list.flags[1] as string;
    const consensus = await startConsensus({ data, settings: readSettings({}) });
    const busy = join(list.folder, "busy.tar.gz");
    try {
      const { code, err } = await runHeadway(["backup", busy, "--data", data], { cwd: list.folder });
      expect({ code, err }).toMatchObject({ code: 0 });
      // The owner of the database goes on afterwards.
      await consensus.engine.settled();
    } finally {
      await consensus.stop();
    }
    const restored = join(list.folder, "restored-busy");
    expect(await headway("restore", busy, "--data", restored)).toMatchObject({ code: 0 });
    expect(await threadsIn("--data", restored)).toEqual(await threadsIn(...list.flags));
  });

  it("a folder that is in use and a file that is there are left alone", async () => {
    const before = await list.withDatabase(hashDatabase);
    expect(await list.headway("restore", backup)).toMatchObject({
      code: 1,
      err: expect.stringContaining("is not empty, and nothing in it is overwritten"),
    });
    expect(await list.withDatabase(hashDatabase)).toBe(before);
    expect(await list.headway("backup", backup)).toMatchObject({
      code: 1,
      err: expect.stringContaining("give another name"),
    });
  });

  it("a backup that was damaged or cut off anywhere is refused, and leaves nothing behind", async () => {
    const bytes = await readFile(backup);
    const flipped = Buffer.from(bytes);
    flipped[bytes.length >> 1] = (flipped[bytes.length >> 1] as number) ^ 1;
    const spoilt = {
      flipped,
      cut: bytes.subarray(0, bytes.length >> 1),
      empty: Buffer.alloc(0),
      text: Buffer.from("no"),
    };
    for (const [name, content] of Object.entries(spoilt)) {
      const file = join(list.folder, `${name}.tar.gz`);
      await writeFile(file, content);
      const into = join(list.folder, `from-${name}`);
      expect(await headway("restore", file, "--data", into)).toMatchObject({
        code: 1,
        err: expect.stringMatching(/(is no whole backup|is damaged).*use another one\.$/m),
      });
      expect(existsSync(into)).toBe(false);
      await rm(file);
    }
    expect((await readdir(list.folder)).filter((name) => name.includes("restoring"))).toEqual([]);
  });

  it("a backup whose manifest does not fit is refused", async () => {
    const { gunzipSync, gzipSync } = await import("node:zlib");
    const tar = gunzipSync(await readFile(backup));
    const at = tar.indexOf('"sha256":"') + '"sha256":"'.length;
    tar.write(tar[at] === 0x30 ? "1" : "0", at);
    const file = join(list.folder, "forged.tar.gz");
    await writeFile(file, gzipSync(tar, { level: 1 }));
    expect(await headway("restore", file, "--dry-run")).toMatchObject({
      code: 1,
      err: expect.stringContaining("is damaged"),
    });
  });

  it("for a PostgreSQL the exact command is told, without the password", async () => {
    const { code, err } = await headway(
      "backup",
      "--database",
      "postgres://me:secret@db.example/hw?schema=mine",
    );
    expect(code).toBe(1);
    expect(err).toContain(
      `pg_dump --format=custom --schema=mine --schema=mine_read --extension='vector|plpgsql' --file=headway.dump "postgres://me@db.example/hw"`,
    );
    expect(err).not.toContain("secret");
    expect(dumpAdvice(list.flags[1] as string, { url: serverUrl() })).toContain("tar -czf blobs.tar.gz");
  });

  it("a backup that cannot be written ends with one sentence, and lets the database go", async () => {
    const nowhere = join(list.folder, "no", "such", "folder.tar.gz");
    const { code, err } = await list.headway("backup", nowhere);
    expect(code).toBe(1);
    expect(err).toMatch(/^headway: .*ENOENT.*\n$/);
    expect(await list.headway("verify")).toMatchObject({ code: 0 });
  });
});
