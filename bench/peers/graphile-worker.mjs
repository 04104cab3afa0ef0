import { Logger, makeWorkerUtils, run, runMigrations } from "graphile-worker";
import pg from "pg";
import { countDown, openDocuments, stageAfter, stages, writeDocuments } from "./three-stages.mjs";

const quiet = new Logger(() => () => undefined);

/** "fast" is what its page on performance recommends for many short jobs: a local queue and completions in batches. */
const presets = {
  default: { concurrentJobs: 24, maxPoolSize: 26 },
  fast: {
    concurrentJobs: 100,
    maxPoolSize: 20,
    localQueue: { size: 1_000 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  },
};

export async function open({ url, settings }) {
  const worker = { connectionString: url, logger: quiet, ...presets[settings] };
  const preset = { worker };
  await runMigrations({ preset });
  const pgPool = new pg.Pool({ connectionString: url, max: 20 });
  // It complains on the console about a pool without these.
  pgPool.on("error", () => undefined);
  pgPool.on("connect", (client) => client.on("error", () => undefined));
  const handIn = await makeWorkerUtils({ preset, pgPool });
  const start = (taskList) => run({ preset, taskList, noHandleSignals: true });
  return {
    add: (id) => handIn.addJob("job", { id }),
    addMany: (ids) => handIn.addJobs(ids.map((id) => ({ identifier: "job", payload: { id } }))),
    work: (act) => start({ job: ({ id }) => act(id) }),
    left: async () => (await pgPool.query("select 1 from graphile_worker._private_jobs limit 1")).rows.length,
    pipeline: (documents) => pipeline({ url, start, handIn, documents }),
  };
}

/** Output, marker and the next job are one transaction; that the job is done is another one, afterwards. */
async function pipeline({ url, start, handIn, documents }) {
  const pool = await openDocuments(url, 20);
  const { finished, leave } = countDown(documents.length);
  const work = async (stage, document) => {
    const client = await pool.connect();
    try {
      await client.query("begin");
      await writeDocuments(client, stage, [document]);
      const next = stageAfter(stage);
      if (next) {
        const key = `${next}/${document.id}`;
        await client.query("select graphile_worker.add_job($1, $2::json, job_key => $3)", [
          next,
          JSON.stringify(document),
          key,
        ]);
      }
      await client.query("commit");
      if (!next) leave(1);
    } finally {
      client.release();
    }
  };
  await start(Object.fromEntries(stages.map((stage) => [stage, (document) => work(stage, document)])));
  for (let at = 0; at < documents.length; at += 1_000) {
    const some = documents.slice(at, at + 1_000);
    await handIn.addJobs(
      some.map((document) => ({ identifier: "first", payload: document, jobKey: `first/${document.id}` })),
    );
  }
  await finished;
}
