import { consensusKnobs } from "@headway/consensus";
import { readConfig } from "@headway/engine";
import {
  attemptsVariable,
  channelVariables,
  nearestName,
  retryVariables,
  traceVariables,
} from "@headway/engine/internal";
import { Refusal } from "./exit-codes.ts";

/** Variables that are neither a knob of the engine nor of a pipeline, each with its meaning. */
export const placeVariables = {
  HEADWAY_DATA: "the folder of the embedded database, of archives and of the operators' token; `.headway`",
  HEADWAY_DATABASE_URL:
    "a PostgreSQL instead: `postgres://user:password@host:port/database`. Behind a pooler say which kind, as a parameter: `?pooler=transaction` or `?pooler=session`; [what that means](../operating/scale.md#through-a-pooler)",
  HEADWAY_BROKER_URL:
    "a RabbitMQ for the news and for other services: `amqp://user:password@host:port/vhost`; [events](events.md)",
  HEADWAY_BROKER_EXCHANGE: "the topic exchange of events on that RabbitMQ; `headway.events`",
  HEADWAY_PORT:
    "where operators reach a process on its machine; `7077`, or a free port where another process has that",
  HEADWAY_METRICS_LISTEN:
    "an address and a port for scrapers, such as `0.0.0.0:9464`: `/metrics`, `/healthz` and `/readyz` without a key, and nothing else; none",
  HEADWAY_CONSOLE: "`off` serves no web console; `on`",
  HEADWAY_HOSTS:
    "names under which browsers may reach the console besides `localhost`, separated by commas; [the console](../operating/console.md#for-other-people)",
  HEADWAY_CONFIG: "a JSON file with settings, as above",
  HEADWAY_ACTOR: "the name for acts in the audit; the login",
  HEADWAY_ENVIRONMENT:
    "`production` keeps `headway bench` from running and refuses anonymous copies; `staging`, `development`",
  HEADWAY_COMMIT: "the name under which `headway bench` keeps its results; the commit that git names",
  HEADWAY_MINILM_FOLDER: "the folder of the model for `HEADWAY_EMBEDDER=minilm`",
  HEADWAY_OCR:
    "reads scanned pages of manuals: `tesseract` (the program), `tesseract.js` (the package, if installed) or the address of a server; `off`",
  HEADWAY_OCR_LANGUAGES: "languages of scanned pages as tesseract names them, such as `deu+eng`; `eng`",
  HEADWAY_SECRET_KEY:
    "encrypts passwords of sources: 32 bytes in base64 (`openssl rand -base64 32`); two, separated by a space, during a rotation: the first encrypts. Without it the file `secret.key` in the data folder is used",
  HEADWAY_DEBUG: "any text: errors are printed with their stack",
  PUSHGATEWAY_URL: "a Prometheus push gateway for the metrics of `headway sweep`",
  METRICS_BACKEND:
    "`prometheus` serves `/metrics`, `prometheus_pushgateway` pushes after each sweep as well, `noop` does neither",
  ...traceVariables,
  ...channelVariables,
} as const;

/** Set by Headway itself, or for its tests. */
const inner = /^HEADWAY_(ISOLATED|CLOSING|(TEST|CHAOS|CI)_\w*)$/;

type Variables = Readonly<Record<string, string | undefined>>;

const knownNames = (): string[] => [
  ...Object.keys(placeVariables),
  ...readConfig().effective.map(({ variable }) => variable),
  ...retryVariables.map(({ variable }) => variable),
  ...Object.values(consensusKnobs).map(({ variable }) => variable),
];

/** Whether somebody reads a variable. */
export const isKnownVariable = (name: string): boolean =>
  knownNames().includes(name) || name.startsWith(attemptsVariable(""));

/** A misspelt variable would be ignored in silence, and with it a limit or an address: refused, with the nearest name. */
export function refuseUnknownVariables(variables: Variables, alsoKnown: readonly string[] = []): void {
  const known = new Set([...knownNames(), ...alsoKnown]);
  for (const name of Object.keys(variables).sort()) {
    if (!/^(HEADWAY|RETRY)_/.test(name) || known.has(name) || inner.test(name)) continue;
    if (name.startsWith(attemptsVariable("")) || known.has(name.replace(/_FILE$/, ""))) continue;
    const near = nearestName(name, [...known]);
    throw new Refusal(
      `Nobody reads ${name}${near === null ? "" : `; did you mean ${near}?`} See all settings with: headway config`,
      2,
    );
  }
}
