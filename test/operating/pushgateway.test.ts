import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { repo } from "../../tools/source.ts";
import { until } from "../support/waiting.ts";
import { headway, type SmallList, statement, useSmallLists } from "./small-list.ts";

vi.setConfig({ testTimeout: 90_000, hookTimeout: 300_000 });

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A message without its chunking task, as if a row had been lost. */
const loseChunking = (list: SmallList) =>
  list.withDatabase((database) =>
    database.query(
      statement(`delete from headway.done
        where stage = (select id from headway.stage where name = 'chunking')
          and subject = (select min(subject) from headway.done d join headway.stage s on s.id = d.stage
            where s.name = 'chunking')`),
    ),
  );

describe("a real Pushgateway", () => {
  const lists = useSmallLists();
  let gateway: ChildProcess | undefined;
  let url = "";
  beforeAll(async () => {
    execFileSync("bash", [join(repo, "tools/services.sh"), "install", "prometheus-pushgateway"], {
      stdio: "inherit",
    });
    const address = `127.0.0.1:${await freePort()}`;
    gateway = spawn("prometheus-pushgateway", [`--web.listen-address=${address}`], { stdio: "ignore" });
    url = `http://${address}`;
    const ready = () =>
      fetch(`${url}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(ready, Boolean);
  });
  afterAll(() => gateway?.kill());

  const value = async (name: string, label = "") => {
    const text = await (await fetch(`${url}/metrics`)).text();
    const line = text.split("\n").find((one) => one.startsWith(`${name}{`) && one.includes(label));
    return line === undefined ? null : Number(line.split(" ").at(-1));
  };
  const requeued = () => value("retry_job_documents_requeued_total", 'collection="messages"');

  it("shows rising totals after runs of sweep --once, and keeps them while the database is away", async () => {
    const list = await lists.read("postgres");
    const seen: unknown[] = [];
    for (let run = 0; run < 3; run++) {
      await loseChunking(list);
      expect(await list.headway("sweep", "--once", "--pushgateway", url)).toMatchObject({ code: 0 });
      seen.push(await requeued());
    }
    // Three processes that counted from 0 would have said 1, 1, 1, and increase() nothing.
    expect(seen).toEqual([1, 2, 3]);
    expect(await value("retry_job_runs_total", 'status="success"')).toBe(3);
    expect(await value("retry_job_duration_seconds_count")).toBe(3);
    expect(await value("retry_job_last_run_failed")).toBe(0);
    const nowhere = ["--database", "postgres://nobody@127.0.0.1:1/none"];
    const { code } = await headway("sweep", "--once", "--pushgateway", url, ...nowhere);
    expect(code).toBe(1);
    expect(await requeued()).toBe(3);
    expect(await value("retry_job_last_run_failed")).toBe(1);
  });
});
