import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import pg from "pg";
import { openDatabase } from "../../engine/src/operate.ts";
import { listen, startCable } from "../watch/stack.ts";
import type { Machine, World } from "./runbook-worlds.ts";

/** Broken states noticed by alerts only. */
export const watchWorlds: Readonly<Record<string, (machine: Machine) => Promise<World["meanwhile"]>>> = {
  /** The record of a result is lost, as by a restored table. */
  async "record lost"(machine) {
    await machine.sh("systemctl start headway");
    const database = await openDatabase({ folder: machine.data }, { poolMax: 1 });
    await database.query({
      text: `delete from headway.done where ctid = (select d.ctid from headway.done d
        join headway.stage s on s.id = d.stage and s.name = 'embedding' limit 1)`,
      values: [],
    });
    await database.close();
    const ran = ({ embedding }: Parameters<Parameters<Machine["until"]>[0]>[0]) =>
      embedding?.waiting === 0 && embedding.claimed === 0;
    return { "the stage has run again": () => machine.until(ran) };
  },

  /** The database server is out of reach. */
  async "database away"(machine) {
    const server = new URL(process.env.HEADWAY_TEST_POSTGRES ?? "");
    const name = `runbook_${randomUUID().slice(0, 8)}`;
    const admin = new pg.Client({ connectionString: server.href });
    await admin.connect();
    await admin.query(`create database ${name}`);
    machine.whenClosed(async () => {
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    });
    server.pathname = `/${name}`;
    const cable = await startCable(server, 5_432);
    machine.whenClosed(cable.close);
    set(machine, `HEADWAY_DATABASE_URL=${cable.url}`);
    await machine.sh("systemctl start headway");
    cable.cut();
    await machine.saying("The database does not answer");
    return {
      async "the database is back"() {
        cable.mend();
        await machine.saying("The database is back");
      },
    };
  },

  /** The receiver of alerts answers with an error while documents die. */
  async "receiver broken"(machine) {
    const state = { status: 503 };
    const receiver = createServer((request, response) => {
      request.resume();
      response.writeHead(state.status).end();
    });
    const port = await listen(receiver);
    machine.whenClosed(() => receiver.close());
    const embedder = await machine.startEmbedder("tide-embed-2");
    embedder.become("answers");
    set(machine, `HEADWAY_ALERT_WEBHOOK_URL=http://127.0.0.1:${port}/alerts`, "HEADWAY_ALERT_INTERVAL=200ms");
    machine.bringMail();
    await machine.sh("systemctl start headway");
    await machine.until(({ embedding }) => embedding?.dead === 12);
    await machine.saying("answered 503");
    return {
      "the receiver answers again": () => {
        state.status = 202;
      },
    };
  },
};

const set = ({ folder }: Machine, ...settings: string[]): void =>
  writeFileSync(join(folder, "etc/headway.env"), `${settings.join("\n")}\n`, { flag: "a" });
