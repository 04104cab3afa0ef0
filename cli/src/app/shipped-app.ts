import { consensus, readSettings, reports } from "@headway/consensus";
import { type App, defineApp } from "@headway/engine";
import { sources } from "@headway/intake";
import { manuals } from "@headway/manuals";
import { type CommandLineApp, commandLineApp } from "./command-line-app.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** The pipelines that Headway ships, in one application: the default where there is no configuration. */
export const shippedPipelines = (variables: Variables = process.env): App =>
  defineApp({ pipelines: [consensus(readSettings(variables)), manuals(), sources(), reports()] });

export const shippedApp: CommandLineApp = commandLineApp(null, shippedPipelines, {
  database: null,
  broker: null,
  commands: [],
  drill: null,
});
