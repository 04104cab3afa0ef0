import { execFile, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const execute = promisify(execFile);
const services = fileURLToPath(new URL("../../tools/services.sh", import.meta.url));

/** Debian's IMAP server for a single test: user "ann" with a Maildir, plain text and TLS on the loopback address. */
export interface Dovecot {
  readonly plainPort: number;
  readonly tlsPort: number;
  readonly password: string;
  /** The self-signed certificate: path and text. */
  readonly certificate: string;
  readonly ca: string;
  /** The address of a mailbox, in plain text. */
  place(mailbox?: string, port?: number): string;
  /** Puts a mail into a mailbox, as a delivery agent does. */
  deliver(mail: string | Uint8Array, mailbox?: string): Promise<void>;
  expunge(mailbox: string, uids: string): Promise<void>;
  /** Unread mails. */
  countUnseen(mailbox: string): Promise<number>;
  /** Forgets all numbers: UIDVALIDITY changes. */
  renumber(mailbox?: string): Promise<void>;
  /** The server shows an untrusted certificate from the next start on; false: the trusted certificate again. */
  distrust(is: boolean): Promise<void>;
  start(): Promise<void>;
  /** Kills the server and all children, as a power cut would. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

export interface DovecotOptions {
  /** Judges tokens (RFC 7662); by default only passwords are taken. */
  readonly introspection?: string;
  /** False: plain text only. */
  readonly tls?: boolean;
}

export async function openDovecot(options: DovecotOptions = {}): Promise<Dovecot> {
  execFileSync("bash", [services, "install", "dovecot-imapd"], { stdio: "ignore" });
  const folder = await mkdtemp(join(tmpdir(), "headway-dovecot-"));
  await chmod(folder, 0o755);
  const owner = await ownerOf();
  const mails = join(folder, "mails");
  await mkdir(mails);
  await chown(mails, owner.uid, owner.gid);
  const password = randomBytes(12).toString("hex");
  const [plainPort, tlsPort] = [await freePort(), await freePort()];
  const certificate = await makeCertificate(join(folder, "trusted"));
  await makeCertificate(join(folder, "strange"));
  await writeFile(join(folder, "users"), `ann:{PLAIN}${password}:${owner.uid}:${owner.gid}::${mails}\n`);
  const config = join(folder, "dovecot.conf");
  await writeFile(config, configOf({ folder, mails, plainPort, tlsPort, owner, ...options }));
  if (options.introspection) await writeFile(join(folder, "oauth2.conf"), oauthOf(options.introspection));
  let delivered = 0;
  const boxOf = (mailbox: string) => (mailbox === "INBOX" ? mails : join(mails, `.${mailbox}`));
  const doveadm = (...words: string[]) => execute("doveadm", ["-c", config, ...words]);
  const server: Dovecot = {
    plainPort,
    tlsPort,
    password,
    certificate,
    ca: await readFile(certificate, "utf8"),
    place: (mailbox = "", port = plainPort) => `imap://ann@127.0.0.1:${port}/${mailbox}`,
    async deliver(mail, mailbox = "INBOX") {
      const box = boxOf(mailbox);
      for (const part of ["", "tmp", "new", "cur"]) {
        await mkdir(join(box, part), { recursive: true });
        await chown(join(box, part), owner.uid, owner.gid);
      }
      const name = `${1_700_000_000 + ++delivered}.M${delivered}.test`;
      await writeFile(join(box, "tmp", name), mail);
      await chown(join(box, "tmp", name), owner.uid, owner.gid);
      await rename(join(box, "tmp", name), join(box, "new", name));
    },
    expunge: async (mailbox, uids) => {
      await doveadm("expunge", "-u", "ann", "mailbox", mailbox, "uid", uids);
    },
    async countUnseen(mailbox) {
      const { stdout } = await doveadm("search", "-u", "ann", "mailbox", mailbox, "unseen");
      return stdout.split("\n").filter((line) => line !== "").length;
    },
    async renumber(mailbox = "INBOX") {
      const before = await doveadm("mailbox", "status", "-u", "ann", "uidvalidity", mailbox);
      await server.kill();
      const number = Number(/uidvalidity=(\d+)/.exec(before.stdout)?.[1]);
      const box = boxOf(mailbox);
      for (const name of [
        "dovecot.index",
        "dovecot.index.log",
        "dovecot.index.cache",
        "dovecot.list.index.log",
      ])
        await rm(join(box, name), { force: true });
      // The first line of a Maildir's list of numbers: version, validity, next number.
      await writeFile(
        join(box, "dovecot-uidlist"),
        `3 V${number + 1_000} N1 G${randomBytes(16).toString("hex")}\n`,
      );
      await chown(join(box, "dovecot-uidlist"), owner.uid, owner.gid);
      await server.start();
    },
    async distrust(is) {
      const [from, to] = [join(folder, is ? "strange" : "trusted"), folder];
      await cp(join(from, "certificate.pem"), join(to, "shown.pem"));
      await cp(join(from, "key.pem"), join(to, "shown-key.pem"));
    },
    async start() {
      if (await listens(plainPort)) return;
      const child = spawn("dovecot", ["-c", config, "-F"], { stdio: "ignore", detached: true });
      child.unref();
      for (let tries = 0; !(await listens(plainPort)); tries++) {
        if (child.exitCode !== null || tries > 600)
          throw new Error(
            `dovecot does not start: ${await readFile(join(folder, "log"), "utf8").catch(() => "")}`,
          );
        await pause(50);
      }
    },
    async kill() {
      const pid = Number(await readFile(join(folder, "run", "master.pid"), "utf8").catch(() => "0"));
      if (pid > 0) await endAll(pid);
      for (let tries = 0; (await listens(plainPort)) && tries < 200; tries++) await pause(25);
      await rm(join(folder, "run"), { recursive: true, force: true });
    },
    async close() {
      await server.kill();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  await server.distrust(false);
  await server.start();
  return server;
}

/** The master is stopped first, and starts no child anew. */
async function endAll(master: number): Promise<void> {
  const signal = (pid: number, name: NodeJS.Signals) => {
    try {
      process.kill(pid, name);
    } catch {
      // Ended already.
    }
  };
  signal(master, "SIGSTOP");
  const { stdout } = await execute("ps", ["-o", "pid=", "--ppid", String(master)]).catch(() => ({
    stdout: "",
  }));
  for (const pid of stdout.split("\n").map(Number)) if (pid > 0) signal(pid, "SIGKILL");
  signal(master, "SIGKILL");
  for (let tries = 0; existsSync(`/proc/${master}`) && tries < 200; tries++) await pause(25);
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
  readonly root: boolean;
  readonly name: string;
}

/** Mail never belongs to root. */
async function ownerOf(): Promise<Owner> {
  const { uid, gid, username } = userInfo();
  if (uid !== 0) return { uid, gid, root: false, name: username };
  const number = async (flag: string) => Number((await execute("id", [flag, "nobody"])).stdout);
  return { uid: await number("-u"), gid: await number("-g"), root: true, name: "nobody" };
}

async function makeCertificate(folder: string): Promise<string> {
  await mkdir(folder);
  const path = join(folder, "certificate.pem");
  const words =
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=localhost";
  const names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  await execute("openssl", [...words.split(" "), ...names, "-keyout", join(folder, "key.pem"), "-out", path]);
  return path;
}

interface Parts extends DovecotOptions {
  readonly folder: string;
  readonly mails: string;
  readonly plainPort: number;
  readonly tlsPort: number;
  readonly owner: Owner;
}

function configOf({ folder, mails, plainPort, tlsPort, owner, introspection, tls = true }: Parts): string {
  const unprivileged = owner.root
    ? ""
    : `default_internal_user = ${owner.name}\ndefault_login_user = ${owner.name}\ndefault_internal_group = ${owner.name}\n`;
  const tokens = introspection
    ? `passdb {\n  driver = oauth2\n  mechanisms = xoauth2 oauthbearer\n  args = ${folder}/oauth2.conf\n}\n`
    : "";
  return `base_dir = ${folder}/run
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
ssl = ${tls ? "yes" : "no"}
ssl_cert = <${folder}/shown.pem
ssl_key = <${folder}/shown-key.pem
disable_plaintext_auth = no
auth_mechanisms = plain login${introspection ? " xoauth2 oauthbearer" : ""}
first_valid_uid = 1
first_valid_gid = 1
mail_location = maildir:${mails}
mailbox_list_index = no
mail_fsync = never
maildir_very_dirty_syncs = no
mailbox_idle_check_interval = 1 secs
auth_failure_delay = 0
${unprivileged}${tokens}passdb {
  driver = passwd-file
  mechanisms = plain login
  args = ${folder}/users
}
userdb {
  driver = passwd-file
  args = ${folder}/users
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${plainPort}
  }
  inet_listener imaps {
    port = ${tls ? tlsPort : 0}
    ssl = yes
  }
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
`;
}

const oauthOf = (url: string): string => `introspection_mode = post
introspection_url = ${url}
force_introspection = yes
username_attribute = username
active_attribute = active
active_value = true
`;

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    const end = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.once("connect", () => end(true)).once("error", () => end(false));
  });

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
