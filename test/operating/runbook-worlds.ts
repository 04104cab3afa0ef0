import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { openDatabase, openOperator } from "../../engine/src/operate.ts";
import { anMbox, type MailSpec } from "../consensus/invented-mail.ts";
import { builtHeadway } from "../support/built-headway.ts";
import { type Broker, startBroker } from "../support/rabbitmq.ts";
import { startMoodyEmbedder } from "./runbook-embedder.ts";
import { watchWorlds } from "./runbook-watch-worlds.ts";

/** A machine with Headway as a service, in a broken state. */
export interface World {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** What happens without a command. */
  readonly meanwhile: Readonly<Record<string, () => unknown>>;
  /** Pages use paths and the port of a real machine; here they are translated. */
  toWorld(code: string): string;
  fromWorld(printed: string): string;
  close(): Promise<void>;
}

/** Broken states, by their names in pages. */
export const worlds: Readonly<Record<string, (machine: Machine) => Promise<World["meanwhile"]>>> = {
  ...watchWorlds,
  calm: async () => ({}),

  /** Running without a problem. */
  async running(machine) {
    await machine.sh("systemctl start headway");
    return {
      async "the machine loses power, and its disk a block"() {
        await machine.sh('kill -9 -- "-$(cat pid)"');
        damage(join(machine.data, "data"));
      },
    };
  },

  /** A person paused a stage, mail came, and the process was killed in the middle. */
  async stuck(machine) {
    const embedder = await machine.startEmbedder("tide-embed-1");
    embedder.become("hangs");
    const asked = embedder.asked();
    await machine.sh('HEADWAY_ACTOR=nina headway pause weighing --why "the model is being exchanged"');
    machine.bringMail();
    await machine.sh("systemctl start headway");
    await asked;
    await machine.until(({ weighing, embedding }) => weighing?.waiting === 3 && embedding?.claimed === 12);
    await machine.sh('kill -9 -- "-$(cat pid)"');
    embedder.become("answers");
    return {};
  },

  /** The last deploy asks for a model unknown to the server. */
  async deployed(machine) {
    await machine.startEmbedder("tide-embed-2");
    machine.bringMail();
    await machine.sh("systemctl start headway");
    await machine.until(({ embedding }) => embedding?.dead === 12);
    return {};
  },

  /** The embedding server is down while mail comes in. */
  async outage(machine) {
    const embedder = await machine.startEmbedder("tide-embed-1");
    embedder.become("is down");
    machine.bringMail();
    await machine.sh("systemctl start headway");
    await machine.until(({ embedding }) => embedding?.shut === "embedder" && embedding.held === 12);
    return { "the embedding server is back": () => embedder.become("answers") };
  },

  /** Notifications go through a broker, stopped while mail comes in. */
  async "broker away"(machine) {
    const broker = await machine.startBroker();
    await machine.sh("systemctl start headway");
    await broker.stop();
    await machine.saying("The broker does not answer");
    machine.bringMail();
    return {
      async "RabbitMQ is back"() {
        await broker.start();
        await machine.saying("The broker is back");
      },
      async "RabbitMQ loses everything it had"() {
        await machine.sh(": > journal");
        await broker.wipe();
        await broker.start();
        await machine.saying("The broker is back");
      },
    };
  },

  /** A folder in which some archives are not what their names say. */
  async "broken archive"({ folder }) {
    const mail = (name: string) => join(folder, "srv/mail", name);
    const june = gzipSync(anMbox(...mails("june")));
    writeFileSync(mail("2024-05.mbox"), anMbox(...mails("may")));
    writeFileSync(mail("2024-06.mbox.gz"), june.subarray(0, june.length - 40));
    writeFileSync(mail("2024-07.mbox"), "<html><title>404 Not Found</title></html>\n");
    writeFileSync(
      mail("2024-08.mbox"),
      `${anMbox(...mails("august"))}From x Mon Mar  4 10:00:00 2024\n\u0000\u0001`,
    );
    mkdirSync(join(folder, "srv/again"));
    writeFileSync(join(folder, "srv/again/2024-06.mbox.gz"), june);
    return {};
  },
};

/** What a world is made with. */
export interface Machine {
  readonly folder: string;
  readonly data: string;
  /** Runs a command there, which has to end well. */
  sh(command: string): Promise<void>;
  /** Twelve mails in three threads arrive. */
  bringMail(): void;
  /** From then on the service uses this server and model. */
  startEmbedder(model: string): ReturnType<typeof startMoodyEmbedder>;
  /** From then on the service uses this broker. */
  startBroker(): Promise<Broker>;
  /** Until the service has logged this. */
  saying(what: string): Promise<void>;
  /** Ends something of the world with it. */
  whenClosed(close: () => unknown): void;
  /** Until the stages stand so. */
  until(holds: (stages: Stages) => boolean): Promise<void>;
}

type Stages = Readonly<
  Record<string, { waiting: number; held: number; claimed: number; dead: number; shut: string | null }>
>;

const service = fileURLToPath(new URL("../fixtures/systemctl.sh", import.meta.url));
const curl = fileURLToPath(new URL("../fixtures/curl.mjs", import.meta.url));

/** Copies a healthy data folder, and breaks what the world is named for. */
export async function openWorld(name: string, given: { folder: string; well: string }): Promise<World> {
  const { folder } = given;
  const prepare = worlds[name];
  if (!prepare) throw new Error(`There is no world "${name}"; there are: ${Object.keys(worlds).join(", ")}.`);
  const data = join(folder, "data");
  for (const made of ["bin", "etc", "srv/mail", "backups"])
    mkdirSync(join(folder, made), { recursive: true });
  cpSync(given.well, data, { recursive: true });
  writeFileSync(
    join(folder, "bin/headway"),
    `#!/bin/sh\nexec "${process.execPath}" "${builtHeadway()}" "$@"\n`,
    {
      mode: 0o755,
    },
  );
  for (const command of ["systemctl", "journalctl"]) copyFileSync(service, join(folder, "bin", command));
  writeFileSync(join(folder, "bin/curl"), `#!/bin/sh\nexec "${process.execPath}" "${curl}" "$@"\n`, {
    mode: 0o755,
  });
  const port = await freePort();
  const env = {
    PATH: `${join(folder, "bin")}${delimiter}${process.env.PATH}`,
    HOME: folder,
    LANG: "C.UTF-8",
    NO_COLOR: "1",
    // Our names are longer than on a real machine, and must not cause additional line breaks.
    COLUMNS: "160",
    HEADWAY_ACTOR: "you",
    RUNBOOK_FOLDER: folder,
  };
  const settings = [`HEADWAY_DATA=${data}`, `HEADWAY_PORT=${port}`, "HEADWAY_LIST_QUIET=50ms"];
  writeFileSync(join(folder, "etc/headway.env"), `${settings.join("\n")}\n`);
  const names = [
    ["/var/lib/headway", data],
    ["/var/backups", join(folder, "backups")],
    ["/etc/headway.env", join(folder, "etc/headway.env")],
    ["/srv", join(folder, "srv")],
    ["127.0.0.1:7077", `127.0.0.1:${port}`],
  ] as const;
  const machine = makeMachine(folder, data, env);
  const close = async () => {
    await runShell('[[ ! -f pid ]] || kill -9 -- "-$(cat pid)"', folder, env).catch(() => undefined);
    await machine.close();
  };
  try {
    return {
      folder,
      env,
      meanwhile: await prepare(machine),
      toWorld: (code) => names.reduce((text, [theirs, ours]) => text.replaceAll(theirs, ours), code),
      fromWorld: (printed) => names.reduce((text, [theirs, ours]) => text.replaceAll(ours, theirs), printed),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function makeMachine(
  folder: string,
  data: string,
  env: NodeJS.ProcessEnv,
): Machine & { close(): Promise<void> } {
  const embedders: Awaited<ReturnType<typeof startMoodyEmbedder>>[] = [];
  const brokers: Broker[] = [];
  const closers: (() => unknown)[] = [];
  return {
    whenClosed: (close) => void closers.push(close),
    folder,
    data,
    sh: (command) => runShell(`set -a; . etc/headway.env; set +a; ${command}`, folder, env),
    bringMail: () =>
      writeFileSync(
        join(folder, "srv/mail/harbour.mbox"),
        anMbox(...["pier", "crane", "quay"].flatMap((name) => mails(name))),
      ),
    async startEmbedder(model) {
      const embedder = await startMoodyEmbedder();
      embedders.push(embedder);
      const settings = [`HEADWAY_EMBEDDER=${embedder.url}`, `HEADWAY_EMBEDDER_MODEL=${model}`];
      writeFileSync(join(folder, "etc/headway.env"), `${settings.join("\n")}\n`, { flag: "a" });
      return embedder;
    },
    async startBroker() {
      const broker = await startBroker();
      brokers.push(broker);
      writeFileSync(join(folder, "etc/headway.env"), `HEADWAY_BROKER_URL=${broker.url}\n`, { flag: "a" });
      return broker;
    },
    async saying(what) {
      while (!readFileSync(join(folder, "journal"), "utf8").includes(what))
        await new Promise((resolve) => setTimeout(resolve, 50));
    },
    async until(holds) {
      const database = await openDatabase({ folder: data }, { poolMax: 1 });
      try {
        const operator = await openOperator({ database, actor: "test" });
        for (;;) {
          const lines = await operator.status();
          if (holds(Object.fromEntries(lines.map((line) => [line.stage, line])))) return;
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      } finally {
        await database.close();
      }
    },
    async close() {
      for (const close of closers.reverse()) await close();
      for (const embedder of embedders) await embedder.close();
      for (const broker of brokers) await broker.close();
    },
  };
}

async function runShell(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  const bash = spawn("bash", ["-c", command], { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  bash.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const [code] = await once(bash, "exit");
  if (code !== 0) throw new Error(`"${command}" ended with ${code}: ${said}`);
}

/** Four mails about a topic, each an answer to the previous. */
const mails = (about: string): MailSpec[] =>
  [0, 1, 2, 3].map((index) => ({
    id: `${about}-${index}`,
    subject: index === 0 ? `The ${about}` : `Re: The ${about}`,
    text: `I think that the ${about} needs paint, and I have ${index} buckets of it.`,
    ...(index > 0 && { inReplyTo: `${about}-${index - 1}` }),
  }));

/** As a disk that loses a block. */
function damage(folder: string): void {
  const file = join(folder, "global/pg_control");
  if (!existsSync(file)) throw new Error(`${file} is not there.`);
  writeFileSync(file, Buffer.alloc(readFileSync(file).length));
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
