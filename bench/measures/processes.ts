import { existsSync, readFileSync } from "node:fs";
import { freshVhost } from "../../test/support/rabbitmq.ts";
import { startChild } from "../child.ts";
import { contenders, onStand } from "../contenders.ts";
import { makeGate, startChain } from "../ours/chain-engine.ts";
import { draft } from "../pipeline.ts";
import type { Scale, Trial } from "../trial.ts";

/**
 * The same completions by several worker processes, with notifications by the database and, if present, by a broker.
 */
export const processTrials = (scale: Scale): readonly Trial[] =>
  [false, ...(brokerPlace() ? [true] : [])].flatMap((brokered) =>
    scale.processes.map((processes) => ({
      letter: "g",
      row: `${processes} ${processes === 1 ? "process" : "processes"}, ${brokered ? "RabbitMQ" : "database"} dispatch`,
      reference: !brokered && processes === 1,
      run: () => (brokered ? overBroker : overDatabase)(() => completeTogether(processes, scale)),
    })),
  );

/** URL of a RabbitMQ, if any. */
function brokerPlace(): string | null {
  const file = ".cache/services/rabbitmq.url";
  return process.env.HEADWAY_TEST_RABBITMQ || (existsSync(file) ? readFileSync(file, "utf8").trim() : null);
}

/** Worker processes take the broker from the environment: here a virtual host, deleted afterwards. */
async function overBroker<T>(act: () => Promise<T>): Promise<T> {
  process.env.HEADWAY_TEST_RABBITMQ = brokerPlace() ?? "";
  const vhost = await freshVhost();
  process.env.HEADWAY_BROKER_URL = vhost.url;
  try {
    return await act();
  } finally {
    delete process.env.HEADWAY_BROKER_URL;
    await vhost.close();
  }
}

const overDatabase = <T>(act: () => Promise<T>): Promise<T> => act();

const completeTogether = (processes: number, { jobs, limitMs }: Scale): Promise<{ perSecond: number }> =>
  onStand(contenders[0]!, async ({ program, order }) => {
    const { database } = order as { database: { url: string } };
    const door = await startChain(database, { work: false });
    const told = { act: "work", database, count: 0, stages: ["first"] };
    const workers = Array.from({ length: processes }, () => startChild(program, told));
    const timer = setTimeout(() => workers.map((one) => one.process.kill("SIGKILL")), limitMs);
    try {
      await Promise.all(workers.map((one) => one.next("ready")));
      const gate = makeGate(door);
      await gate.shut();
      await door.accept(Array.from({ length: jobs }, (_, number) => draft(number)));
      const done = workers.map(() => 0);
      let last = 0;
      const finished = new Promise<void>((resolve, reject) => {
        workers.forEach((one, index) => {
          one.process.once("exit", () => reject(new Error("a worker process ended")));
          one.onLine((line) => {
            if (line.kind !== "progress") return;
            done[index] = line.done as number;
            last = Math.max(last, line.at as number);
            if (done.reduce((sum, each) => sum + each, 0) >= jobs) resolve();
          });
        });
      });
      const from = Date.now();
      await gate.open();
      await finished;
      return { perSecond: (jobs / (last - from)) * 1_000 };
    } finally {
      clearTimeout(timer);
      await Promise.all(workers.map((one) => one.kill()));
      await door.stop();
    }
  });
