import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import { collection, type Engine, permanent, pipeline, stage, startEngine } from "../../engine/src/index.ts";
import { until } from "../support/waiting.ts";

const url = process.env.HEADWAY_TEST_POSTGRES ?? "";
const variable = "HEADWAY_ALERT_WEBHOOK_URL";
const letters = collection("letters", z.object({}));
const answers = collection("answers", z.object({}));
const reading = stage("reading", {
  reads: letters,
  writes: [answers],
  *run(letter) {
    if (letter.id !== "") throw permanent("letter.torn", "The letter is torn.");
    yield answers.document("never", {});
  },
});
const post = pipeline("post", { stages: [reading] });

describe("the worker that looks for alerts", () => {
  const schema = `roles_${randomUUID().slice(0, 8)}`;
  const subjects: string[] = [];
  const engines: Engine<typeof letters>[] = [];
  const sink = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => {
      body += piece;
    });
    request.on("end", () => {
      subjects.push(JSON.parse(body).data.subject);
      response.end();
    });
  });
  const start = async (work: boolean) => {
    const config = { alertMs: 50, heartbeatMs: 100, silenceMs: 1_000 };
    const engine = await startEngine({
      pipelines: [post],
      services: {},
      database: { url, schema },
      work,
      config,
    });
    engines.push(engine);
    return engine;
  };
  beforeAll(() => new Promise<void>((resolve) => sink.listen(0, "127.0.0.1", resolve)));
  afterEach(() => {
    delete process.env[variable];
  });
  afterAll(async () => {
    for (const engine of engines) await engine.stop();
    const database = await openPostgres({ url, schema });
    await database.script(`drop schema if exists "${schema}" cascade`);
    await database.close();
    sink.close();
  });

  it("is one with a channel, also if a process without a channel was there before", async () => {
    const silent = await start(false);
    // The process without a channel has the role of those that cannot tell anybody.
    const roles = () =>
      silent.database.query<{ name: string }>({
        text: `select name from "${schema}".singleton where name like 'alerts%'`,
        values: [],
      });
    await until(roles, (rows) => rows.some(({ name }) => name === "alerts-untold"));
    process.env[variable] = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/`;
    await start(true);
    await silent.accept(Array.from({ length: 6 }, (_, at) => letters.document(`letter-${at}`, {})));
    await until(
      () => subjects,
      (told) => told.length > 0,
    );
    // How many have died at the first look is chance.
    expect(subjects[0]).toMatch(/^\[(high|medium)\] reading: .*letter\.torn$/);
  });
});
