import { PgBoss } from "pg-boss";
import { countDown, openDocuments, stageAfter, stages, writeDocuments } from "./three-stages.mjs";

/** `settings` is the size of a batch. LISTEN/NOTIFY is on, as it is off by default and a poll takes half a second. */
export async function open({ url, settings }) {
  const batchSize = settings;
  const boss = new PgBoss({
    connectionString: url,
    max: 10,
    schedule: false,
    supervise: false,
    useListenNotify: true,
  });
  boss.on("error", (error) => process.stderr.write(`${error.message}\n`));
  await boss.start();
  await boss.createQueue("job", { notify: true });
  const how = { batchSize, localConcurrency: 4, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true };
  return {
    add: (id) => boss.send("job", { id }),
    addMany: (ids) =>
      boss.insert(
        "job",
        ids.map((id) => ({ data: { id } })),
      ),
    work: (act) =>
      boss.work("job", how, async (jobs) => void (await Promise.all(jobs.map(({ data }) => act(data.id))))),
    left: async () =>
      (
        await boss
          .getDb()
          .executeSql("select 1 from pgboss.job where name = 'job' and state < 'completed' limit 1")
      ).rows.length,
    pipeline: (documents) => pipeline({ url, boss, how, documents }),
  };
}

/** Output, marker, the next job and the completion are one transaction a batch. */
async function pipeline({ url, boss, how, documents }) {
  await (await openDocuments(url, 1)).end();
  const { finished, leave } = countDown(documents.length);
  const handIn = (stage, some, options) =>
    boss.insert(
      stage,
      some.map((data) => ({ data, singletonKey: data.id })),
      options,
    );
  for (const stage of stages) await boss.createQueue(stage, { notify: true });
  for (const stage of stages) {
    const next = stageAfter(stage);
    await boss.work(stage, { ...how, localConcurrency: 2, transactional: true }, async (jobs, db) => {
      const some = jobs.map(({ data }) => data);
      await writeDocuments(db, stage, some);
      if (next) await handIn(next, some, { db });
      else leave(some.length);
    });
  }
  for (let at = 0; at < documents.length; at += 1_000) await handIn("first", documents.slice(at, at + 1_000));
  await finished;
}
