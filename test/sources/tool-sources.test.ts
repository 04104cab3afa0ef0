import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../support/waiting.ts";
import { mail, mbox } from "./mails.ts";
import { addSource, type Office, openOffice } from "./office.ts";

const services = fileURLToPath(new URL("../../tools/services.sh", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "headway-tools-"));
let office = {} as Office;
const ends: (() => void)[] = [];
beforeAll(async () => {
  execFileSync("bash", [services, "install", "git", "rsync"], { stdio: "ignore" });
  office = await openOffice();
});
afterAll(async () => {
  await office.close();
  for (const end of ends) end();
  rmSync(folder, { recursive: true, force: true });
});

const git = (repository: string, ...words: string[]) =>
  execFileSync("git", ["-C", repository, ...words], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env.PATH, ...author, GIT_CONFIG_GLOBAL: "/dev/null" },
  }).toString();
const author = {
  GIT_AUTHOR_NAME: "Ann",
  GIT_AUTHOR_EMAIL: "ann@example.org",
  GIT_COMMITTER_NAME: "Ann",
  GIT_COMMITTER_EMAIL: "ann@example.org",
};

/** A public-inbox: every commit has a mail in the file "m". */
function makeInbox(name: string): { readonly path: string; add(text: string): void; remove(): void } {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  git(path, "init", "--quiet", "--initial-branch=master");
  return {
    path,
    add(text) {
      writeFileSync(join(path, "m"), text);
      git(path, "add", "m");
      git(path, "commit", "--quiet", "--message", "mail");
      git(path, "update-server-info");
    },
    remove() {
      git(path, "rm", "--quiet", "m");
      git(path, "commit", "--quiet", "--message", "remove");
    },
  };
}

describe("a public-inbox by git", () => {
  it("brings a mail for each commit, then only new ones, and passes over removals", async () => {
    const inbox = makeInbox("one");
    inbox.add(mail("git 1"));
    inbox.add(mail("git 2"));
    await addSource(office, "git-one", { place: `git+file://${inbox.path}`, list: "git-one" });
    expect(await office.run("git-one")).toMatchObject({ state: "done", result: { new: 2 } });
    expect(await office.run("git-one")).toMatchObject({ state: "done", result: { new: 0, unchanged: 0 } });
    inbox.remove();
    inbox.add(mail("git 3"));
    expect(await office.run("git-one")).toMatchObject({ state: "done", result: { new: 1 } });
    expect(await office.subjects("git-one")).toEqual(["git 1", "git 2", "git 3"]);
  });

  it("reads all epochs of a list, and a rewritten history from its beginning: each mail once", async () => {
    const [first, second] = [makeInbox("epochs/0"), makeInbox("epochs/1")];
    first.add(mail("epoch 1"));
    second.add(mail("epoch 2"));
    await addSource(office, "git-epochs", { place: `git+file://${folder}/epochs`, list: "git-epochs" });
    expect(await office.run("git-epochs")).toMatchObject({ state: "done", result: { new: 2 } });
    git(second.path, "commit", "--quiet", "--amend", "--message", "rewritten");
    second.add(mail("epoch 3"));
    await office.run("git-epochs");
    expect(await office.subjects("git-epochs")).toEqual(["epoch 1", "epoch 2", "epoch 3"]);
  });

  it("is fetched over HTTP with a password, which no complaint repeats", async () => {
    const inbox = makeInbox("web");
    inbox.add(mail("http 1"));
    const { url, seen, state } = await serveGit(folder);
    const place = `git+${url.replace("http://", "http://ann@")}/web/.git`;
    await addSource(office, "git-web", { place, list: "git-web" }, "sesam-oeffne-dich");
    expect(await office.run("git-web")).toMatchObject({ state: "done", result: { new: 1 } });
    expect(seen).toContain(`Basic ${Buffer.from("ann:sesam-oeffne-dich").toString("base64")}`);
    for (const status of [503, 403]) {
      state.status = status;
      const run = await office.run("git-web");
      expect([run.state, run.fault?.code]).toEqual(
        status === 503 ? ["waiting", "git.unreachable"] : ["dead", "git.login"],
      );
      expect(JSON.stringify(run)).not.toContain("sesam-oeffne-dich");
      state.status = 200;
      if (run.state === "waiting") {
        await office.retry("git-web");
        await office.until("git-web", ({ state: now }) => now === "done");
      }
    }
    expect(await office.subjects("git-web")).toEqual(["http 1"]);
  });

  it("without a commit yet has nothing, and is no failure", async () => {
    const inbox = makeInbox("fresh");
    await addSource(office, "git-fresh", { place: `git+file://${inbox.path}`, list: "git-fresh" });
    expect(await office.run("git-fresh")).toMatchObject({ state: "done", result: { new: 0 } });
    inbox.add(mail("fresh 1"));
    expect(await office.run("git-fresh")).toMatchObject({ state: "done", result: { new: 1 } });
  });

  it("that is not there is a dead letter, and a host that is away is waited for", async () => {
    await addSource(office, "git-none", { place: `git+file://${folder}/nothing`, list: "none" });
    expect(await office.run("git-none")).toMatchObject({ state: "dead", fault: { code: "git.missing" } });
    const port = await freePort();
    await addSource(office, "git-away", { place: `git+http://127.0.0.1:${port}/x.git`, list: "none" });
    expect(await office.run("git-away")).toMatchObject({
      state: "waiting",
      fault: { code: "git.unreachable" },
    });
  });
});

describe("an rsync daemon", () => {
  it("is copied and read, and only changes are read again; links are left out", async () => {
    const home = join(folder, "rsynced");
    mkdirSync(join(home, "deep"), { recursive: true });
    writeFileSync(join(home, "tide.mbox"), mbox("rsync 1"));
    writeFileSync(join(home, "deep", "more.mbox"), mbox("rsync 2"));
    symlinkSync("/etc/passwd", join(home, "passwd"));
    const { port, start } = await serveRsync(home);
    const place = `rsync://ann@127.0.0.1:${port}/mail/`;
    await addSource(office, "rsync", { place, list: "rsync" }, "open-rsync");
    expect(await office.run("rsync")).toMatchObject({
      state: "waiting",
      fault: { code: "rsync.unreachable" },
    });
    await start();
    await office.retry("rsync");
    const done = await office.until("rsync", ({ state }) => state === "done");
    expect(done.result).toMatchObject({ new: 2 });
    expect(await office.run("rsync")).toMatchObject({ result: { new: 0, unchanged: 2 } });
    writeFileSync(join(home, "tide.mbox"), mbox("rsync 1", "rsync 3"));
    expect(await office.run("rsync")).toMatchObject({ result: { new: 1, unchanged: 1 } });
    expect(await office.subjects("rsync")).toEqual(["rsync 1", "rsync 2", "rsync 3"]);
    await addSource(office, "rsync", { place, list: "rsync" }, "wrong");
    expect(await office.run("rsync")).toMatchObject({ state: "dead", fault: { code: "rsync.login" } });
  });
});

describe("a folder", () => {
  it("is read when a file appears, long before its schedule", async () => {
    const home = join(folder, "watched");
    mkdirSync(home);
    writeFileSync(join(home, "a.mbox"), mbox("folder 1"));
    await addSource(office, "folder", { place: home, list: "folder", every: "1d" });
    await office.until("folder", ({ state }) => state === "done");
    let files = 0;
    // The ears of a new source open within ten seconds.
    await until(
      async () => {
        writeFileSync(join(home, `b${++files}.mbox`), mbox(`folder b${files}`));
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        return (await office.until("folder", () => true)).run;
      },
      (run) => run > 1,
    );
    const heard = await office.until("folder", ({ run, state }) => run > 1 && state === "done");
    expect(heard).toMatchObject({ asked: "change" });
  });

  it("that is empty is no failure, and one that is gone is waited for", async () => {
    const home = join(folder, "empty");
    mkdirSync(home);
    await addSource(office, "empty", { place: home, list: "empty" });
    expect(await office.run("empty")).toMatchObject({ state: "done", result: { new: 0, refused: 0 } });
    rmSync(home, { recursive: true });
    expect(await office.run("empty")).toMatchObject({ state: "waiting", fault: { code: "path.missing" } });
  });
});

/** The plain files of repositories, as any web server gives them to git. */
async function serveGit(root: string) {
  const seen: string[] = [];
  const state = { status: 200 };
  const server: Server = createServer((request, response) => {
    if (!request.headers.authorization)
      return response.writeHead(401, { "www-authenticate": 'Basic realm="x"' }).end();
    seen.push(request.headers.authorization);
    if (state.status !== 200) return response.writeHead(state.status).end();
    const path = new URL(request.url ?? "", "http://x").pathname;
    const backend = spawn("git", ["http-backend"], {
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: "1",
        PATH_INFO: path,
        QUERY_STRING: new URL(request.url ?? "", "http://x").search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers["content-type"] ?? "",
        HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
        GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
        REMOTE_USER: "ann",
        REMOTE_ADDR: "127.0.0.1",
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "safe.directory",
        GIT_CONFIG_VALUE_0: "*",
      },
    });
    request.pipe(backend.stdin);
    const pieces: Buffer[] = [];
    backend.stdout.on("data", (piece: Buffer) => pieces.push(piece));
    backend.once("close", () => {
      const answer = Buffer.concat(pieces);
      const end = answer.indexOf("\r\n\r\n");
      const heads = answer.toString("latin1", 0, end).split("\r\n");
      const headers = heads.map((line) => line.split(": ") as [string, string]);
      const status = Number(headers.find(([name]) => name === "Status")?.[1]?.slice(0, 3) ?? 200);
      const rest = Object.fromEntries(headers.filter(([name]) => name !== "Status"));
      response.writeHead(status, rest).end(answer.subarray(end + 4));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, state };
}

async function serveRsync(home: string) {
  const port = await freePort();
  const config = join(folder, "rsyncd.conf");
  const users = join(folder, "rsyncd.secrets");
  writeFileSync(users, "ann:open-rsync\n", { mode: 0o600 });
  writeFileSync(
    config,
    `address = 127.0.0.1\nport = ${port}\nuse chroot = no\n[mail]\npath = ${home}\nread only = yes\nauth users = ann\nsecrets file = ${users}\n`,
  );
  const start = async () => {
    const child = spawn("rsync", ["--daemon", "--no-detach", `--config=${config}`], { stdio: "ignore" });
    ends.push(() => void child.kill("SIGKILL"));
    await until(
      () => answers(port),
      (is) => is,
    );
  };
  return { port, start };
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });

async function freePort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
