import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Envelope } from "../../engine/src/decide/envelope.ts";
import { complaintAbout } from "../../engine/src/decide/json-schema.ts";
import { startHeadway } from "../consensus/headway-process.ts";
import { anMbox } from "../consensus/invented-mail.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { freshVhost } from "../support/rabbitmq.ts";

const docs = fileURLToPath(new URL("../../docs/", import.meta.url));
/** A Python with the AMQP library of the examples; Debian's package is visible only to Debian's Python. */
const python = ["/usr/bin/python3", "python3"].find(
  (one) => spawnSync(one, ["-c", "import pika"], { stdio: "ignore" }).status === 0,
);

const schema = useOwnSchema("told");
const folder = mkdtempSync(join(tmpdir(), "headway-told-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(python === undefined)("a service in Python (skipped: python3-pika is not installed)", () => {
  it("injects an archive, hears what becomes of it, and of what is told again hears nothing", {
    timeout: 90_000,
  }, async () => {
    const vhost = await freshVhost();
    const database = new URL(schema.url);
    database.searchParams.set("schema", schema.fresh());
    const env = {
      HEADWAY_BROKER_URL: vhost.url,
      HEADWAY_DATABASE_URL: database.href,
      HEADWAY_THREAD_QUIET: "50ms",
      HEADWAY_LIST_QUIET: "50ms",
      HEADWAY_RELAY: "50ms",
      MEMORY: join(folder, "seen.sqlite"),
    };
    const words = ["--data", join(folder, "data")];
    const worker = startHeadway(["work", "--port", String(await freePort()), ...words], { cwd: folder, env });
    onTestFinished(async () => {
      worker.kill();
      await worker.ended;
      await vhost.close();
    });
    const consumer = startConsumer(["#.ingested", "#.parsed", "#.complete", "#.failed"], env);
    onTestFinished(consumer.end);
    await worker.saying(/Headway is up/);
    await vi.waitFor(() => expect(consumer.err()).toContain("Waiting for"), waiting);
    const file = join(folder, "2024-03.mbox");
    const first = { id: "one", text: "Shall we adopt the draft? I support it." };
    writeFileSync(file, anMbox(first, { id: "two", inReplyTo: "one", text: "+1, I support it as well." }));
    const inject = () =>
      execFileSync(python as string, [join(docs, "examples/inject-archive.py"), "tides", file], {
        env: { ...process.env, ...env },
        encoding: "utf8",
      }).trim();
    const injected = inject();
    expect(inject()).toBe(injected);
    await vi.waitFor(() => expect(typesOf(consumer.events())).toContain("SummaryComplete"), waiting);
    const heard = consumer.events();
    expect(typesOf(heard).filter((type) => type !== "SummaryComplete")).toEqual([
      // What the injector told, and what Headway tells of the same archive.
      "ArchiveIngested",
      "ArchiveIngested",
      "JSONParsed",
      "JSONParsed",
    ]);
    for (const event of heard) expect(complaintAbout(schemaFile(event), event)).toBeNull();
    const ours = heard.filter((event) => event.correlation_id !== undefined);
    expect(ours.length).toBe(heard.length - 1);
    const parsed = ours.filter((event) => event.event_type === "JSONParsed");
    expect(parsed.map((event) => event.causation_id)).toEqual([injected, injected]);

    const again = startHeadway(["events", "--announce-again", "--since", "1h", "--json", ...words], {
      cwd: folder,
      env,
    });
    const said = await again.ended;
    expect(said).toMatchObject({ code: 0 });
    const wanted = ours.filter((event) => event.event_type !== "SummaryComplete").length;
    await vi.waitFor(() => expect(consumer.known()).toBeGreaterThanOrEqual(wanted + 1), waiting);
    expect(new Set(consumer.events().map((event) => event.event_id)).size).toBe(consumer.events().length);
    expect(typesOf(consumer.events()).filter((type) => type === "JSONParsed")).toHaveLength(2);
    expect(consumer.err()).not.toContain("Traceback");
  });
});

const waiting = { timeout: 60_000, interval: 50 };

function startConsumer(keys: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(python as string, [join(docs, "examples/consume-events.py"), ...keys], {
    env: { ...process.env, ...env },
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const texts = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    texts.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    texts.err += text;
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  return {
    err: () => texts.err,
    events: () =>
      texts.out.split("\n").flatMap((line): Envelope[] => (line === "" ? [] : [JSON.parse(line)])),
    /** Number of events known before. */
    known: () => texts.err.match(/known before/g)?.length ?? 0,
    async end() {
      child.kill("SIGINT");
      await ended;
    },
  };
}

const typesOf = (events: readonly Envelope[]): string[] => events.map((event) => event.event_type).sort();

const schemaFile = ({ event_type: type }: Envelope) =>
  JSON.parse(readFileSync(join(docs, `reference/schemas/events/${type}.v1.json`), "utf8"));

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
