import { startEngine } from "../../engine/src/index.ts";
import { shop } from "./misbehaving-app/headway.config.ts";

/** Several workers in one process that is killed as a whole: `node many-workers.ts DATABASE_URL COUNT`. */
const [url = "", count = "1"] = process.argv.slice(2);
const services = { carrier: { call: async () => undefined } };
for (let one = 0; one < Number(count); one++)
  await startEngine({
    pipelines: [shop],
    services,
    database: { url },
    stages: ["packing"],
    name: `doomed-${one}`,
    config: { poolMax: 1 },
  });
process.stderr.write("all there\n");
