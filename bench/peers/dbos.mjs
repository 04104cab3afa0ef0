import { DBOS, DBOSClient } from "@dbos-inc/dbos-sdk";
import { openDocuments, stages, writeDocuments } from "./three-stages.mjs";

const silence = Object.fromEntries(
  ["info", "debug", "warn", "error"].map((level) => [level, () => undefined]),
);

/** A workflow of one step, over a queue that is polled as often as its documentation allows. */
export async function open({ url }) {
  await DBOS.migrate(url);
  DBOS.setConfig({
    name: "bench",
    systemDatabaseUrl: url,
    systemDatabasePoolSize: 20,
    logger: silence,
    useListenNotify: true,
    applicationVersion: "1",
  });
  const client = await DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabasePoolSize: 20,
    logger: silence,
  });
  let act = () => undefined;
  DBOS.registerWorkflow((id) => DBOS.runStep(async () => void (await act(id)), { name: "step" }), {
    name: "job",
  });
  const pipelineWorkflow = makePipeline(url);
  const launch = async () => {
    await DBOS.launch();
    await DBOS.registerQueue("jobs", { minPollingIntervalMs: 10, workerConcurrency: 200 });
  };
  return {
    add: (id) => client.enqueue({ workflowName: "job", queueName: "jobs", appVersion: "1" }, id),
    async work(run) {
      act = run;
      await launch();
    },
    async pipeline(documents) {
      await DBOS.launch();
      await pipelineWorkflow(documents);
    },
  };
}

/** A workflow a document and a step a stage; a step that was cut off is run again, so it writes what it wrote before. */
function makePipeline(url) {
  let pool;
  const workflow = DBOS.registerWorkflow(
    async (document) => {
      for (const stage of stages)
        await DBOS.runStep(() => writeDocuments(pool, stage, [document]).then(() => undefined), {
          name: stage,
        });
    },
    { name: "three-stages" },
  );
  return async (documents) => {
    pool = await openDocuments(url, 10);
    let next = 0;
    const lane = async () => {
      while (next < documents.length) {
        const document = documents[next++];
        const handle = await DBOS.startWorkflow(workflow, { workflowID: document.id })(document);
        await handle.getResult();
      }
    };
    await Promise.all(Array.from({ length: 50 }, lane));
  };
}
