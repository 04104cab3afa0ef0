import { Queue, Worker } from "bullmq";
import IORedis from "ioredis";
import { countDown, openDocuments, stageAfter, stages, writeDocuments } from "./three-stages.mjs";

const concurrency = 100;

export async function open({ url, redisUrl }) {
  const { hostname: host, port } = new URL(redisUrl);
  const connection = { host, port: Number(port), maxRetriesPerRequest: null };
  const queue = makeQueue("job", connection);
  await queue.waitUntilReady();
  return {
    add: (id) => queue.add("job", { id }),
    addMany: (ids) => queue.addBulk(ids.map((id) => ({ name: "job", data: { id } }))),
    async work(act) {
      const worker = new Worker("job", async ({ data }) => await act(data.id), { connection, concurrency });
      await worker.waitUntilReady();
    },
    async left() {
      const counts = await queue.getJobCounts("wait", "active", "delayed", "prioritized");
      return Object.values(counts).reduce((sum, one) => sum + one, 0);
    },
    pipeline: (documents) => pipeline({ url, connection, documents }),
  };
}

const makeQueue = (name, connection) =>
  new Queue(name, { connection: new IORedis(connection), defaultJobOptions: { removeOnComplete: true } });

/** Documents are in PostgreSQL and jobs in Redis: no transaction spans both, so each is written in turn. */
async function pipeline({ url, connection, documents }) {
  const pool = await openDocuments(url, 20);
  const { finished, leave } = countDown(documents.length);
  const queues = Object.fromEntries(stages.map((stage) => [stage, makeQueue(stage, connection)]));
  const job = (document) => ({ name: "document", data: document, opts: { jobId: `d${document.id}` } });
  for (const stage of stages) {
    const work = async ({ data }) => {
      await writeDocuments(pool, stage, [data]);
      const next = stageAfter(stage);
      if (next) await queues[next].addBulk([job(data)]);
      else leave(1);
    };
    await new Worker(stage, work, { connection, concurrency }).waitUntilReady();
  }
  for (let at = 0; at < documents.length; at += 1_000)
    await queues.first.addBulk(documents.slice(at, at + 1_000).map(job));
  await finished;
}
