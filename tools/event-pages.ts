import {
  doneSchema,
  envelopeSchema,
  eventVersion,
  failedSchema,
  failedType,
  routingKeyOf,
  schemaOf,
  workSchema,
  workType,
} from "../engine/src/decide/envelope.ts";
import type { JsonSchema } from "../engine/src/decide/json-schema.ts";
import { inboxQueue } from "../engine/src/dispatch/queues.ts";
import { appId, defaultExchange } from "../engine/src/dispatch/rabbitmq.ts";
import { makeSourcesPipeline } from "../intake/src/source/pipeline.ts";
import { makeConsensus } from "../pipelines/consensus/src/pipeline.ts";
import { archiveIngested, archiveIngestedSchema } from "../pipelines/consensus/src/receive.ts";
import { makeReportsPipeline } from "../pipelines/consensus/src/subscription/pipeline.ts";

interface EventPage {
  readonly type: string;
  /** The announcing stages; none: from outside, or from the engine itself. */
  readonly stages: readonly string[];
  readonly data: JsonSchema;
  readonly about: string;
}

/** Meaning of each event; a new type needs an entry here. */
const abouts: Readonly<Record<string, string>> = {
  ArchiveIngested:
    "The mails of an archive are in Headway; or, from another service, there is an archive to be read.",
  ArchiveIngestionFailed: "An archive could not be split into mails.",
  JSONParsed: "A mail was parsed.",
  ParsingFailed: "A mail could not be parsed, or its readings not be merged into a message.",
  ChunksPrepared: "A message was cut into passages.",
  ChunkingFailed: "A message could not be cut into passages.",
  EmbeddingsGenerated: "A passage has its vector.",
  EmbeddingGenerationFailed: "A passage got no vector.",
  SummarizationRequested:
    "The threads of a list were made, or made anew; those that changed are weighed and summarized.",
  OrchestrationFailed: "The messages of a list could not be put into threads.",
  SummaryComplete: "A thread was summarized.",
  SummarizationFailed: "A thread could not be summarized.",
  SourceFetched: "A run of a source was fetched; the collection `fetches` says what it brought.",
  SourceFailed: "A run of a source is dead: nobody answered, or a person has to look.",
  ReportPublished: "A report was made for a subscription; the collection `reports` has the content.",
  ReportUndelivered: "A recipient did not take a report, and no further attempt is made.",
  StageFailed: "A document is dead at a stage that has no name of its own for that.",
  WorkOwed: "Something may be due for a stage. It carries no truth: whoever hears it asks the database.",
};

/** Every event announced or accepted by the consensus pipeline. */
function eventPages(): EventPage[] {
  const settings = { embedder: { model: "static", tokensMax: 256 }, summarizer: { model: "extractive" } };
  const stages = [
    ...makeConsensus(settings).stages,
    ...makeSourcesPipeline().stages,
    ...makeReportsPipeline().stages,
  ];
  const found = new Map<string, EventPage>();
  const add = (type: string, data: JsonSchema, stage: string | null) => {
    const about = abouts[type];
    if (about === undefined) throw new Error(`Say in tools/event-pages.ts what the event "${type}" tells.`);
    const before = found.get(type)?.stages ?? [];
    found.set(type, { type, data, about, stages: stage === null ? before : [...before, stage] });
  };
  for (const { name, announces } of stages) {
    const { done } = announces;
    const outside = done === archiveIngested ? { anyOf: [doneSchema, archiveIngestedSchema] } : doneSchema;
    if (done !== undefined) add(done, outside, name);
    add(failedType(announces), failedSchema, name);
  }
  add(workType, workSchema, null);
  return [...found.values()];
}

/** The schemas as files, and the page that lists the schemas. */
export const eventReference = (madeBy: string): { readonly path: string; readonly text: string }[] => {
  const pages = eventPages();
  return [
    ...pages.map((page) => ({
      path: `docs/reference/schemas/events/${page.type}.v1.json`,
      text: schemaText(page),
    })),
    { path: "docs/reference/events.md", text: eventsPage(pages, madeBy) },
  ];
};

function schemaText({ type, data, about }: EventPage): string {
  const schema: JsonSchema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `events/${type}.v1.json`,
    title: type,
    description: about,
    ...schemaOf(type, data),
  };
  // Short lists on one line, as required by our formatter.
  const text = JSON.stringify(schema, null, 2).replace(
    /^( *"\w+": )\[\n([^[\]{}]*?)\n *\]/gm,
    (whole, start: string, items: string) => {
      const line = `${start}[${items.trim().replace(/,\n\s*/g, ", ")}]`;
      return line.length < lineMax ? line : whole;
    },
  );
  return `${text}\n`;
}
const lineMax = 110;

const fieldsOf = (schema: JsonSchema): string =>
  schema.anyOf && !schema.properties
    ? schema.anyOf.map(fieldsOf).join("; or ")
    : Object.keys(schema.properties ?? {})
        .map((name) => `\`${name}\`${schema.required?.includes(name) ? "" : "?"}`)
        .join(", ");

function eventsPage(pages: readonly EventPage[], madeBy: string): string {
  const rows = pages.map(({ type, stages, data, about }) => {
    const key = type === workType ? "work.<stage>" : routingKeyOf(type);
    const by = stages.length > 0 ? stages.map((name) => `\`${name}\``).join(", ") : "every worker";
    return `| [${type}](schemas/events/${type}.v1.json) | \`${key}\` | ${by} | ${about} | ${fieldsOf(data)} |`;
  });
  return `# Events

${madeBy}

With \`HEADWAY_BROKER_URL\` set, what happens is told to other services: every event is a persistent message on the durable topic
exchange \`${defaultExchange}\` (or the one that \`HEADWAY_BROKER_EXCHANGE\` names). How to consume them, and how to bring archives in:
[consume events](../guides/consume-events.md). On the machine: \`headway events --follow\`.

| type and schema | routing key | announced by | what it tells | data (\`?\`: optional) |
|---|---|---|---|---|
${rows.join("\n")}

The routing key follows from the type: \`JSONParsed\` → \`${routingKeyOf("JSONParsed")}\`. Bind a queue to a key, to \`*.parsed\`, to \`#.failed\` (all
dead letters), or to \`#\` (everything, with the news of work among it). A pipeline of your own announces what its stages declare
(\`announces: { done, failed }\`); dead letters of those that declare nothing are told as \`StageFailed\`.

${envelopeSection()}

${reliance}`;
}

function envelopeSection(): string {
  const fields = Object.entries(envelopeSchema.properties ?? {}).map(
    ([name, schema]) =>
      `| \`${name}\` | ${schema.format ?? schema.type}${envelopeSchema.required?.includes(name) ? "" : ", optional"} | ${aboutFields[name] ?? fail(name)} |`,
  );
  return `## The envelope

A body is one JSON object in UTF-8, \`content_type\` \`application/json\`, of at most 1 MiB.

| field | type | what it is |
|---|---|---|
${fields.join("\n")}

Within version ${eventVersion.split(".")[0]} fields may be added, and none goes or changes its meaning: read what you know, leave the rest. A stage's
\`<Type>.json\` above describes the whole envelope, in JSON Schema 2020-12.

## Properties and headers

| where | what it is |
|---|---|
| \`message_id\` | the \`event_id\` |
| \`type\` | the \`event_type\` |
| \`correlation_id\` | the same as in the envelope |
| \`timestamp\` | the same, in seconds |
| \`app_id\` | \`${appId}\`: it comes from Headway; whoever sends us events uses another |
| header \`traceparent\` | W3C trace context: the request is the trace, the span that of the attempt |
| header \`event-key\` | what \`event_id\` is made from: type, stage, number of the document, completion marker |`;
}

const reliance = `## What you can rely on

- **An event is told if and only if what it tells was committed.** It leaves from the outbox, after the commit.
- **At least once.** After a crash, a lost connection or \`headway events --announce-again\` it comes again, with the same \`event_id\`:
  remember the ids you have dealt with, and a repetition has no effect.
- **In order for a document**, as long as nothing is repeated. Between documents there is no order.
- **Ids, not content.** An event names a document; what is in it is in the database, and may be newer than the event.
- **Nobody waits for you.** An event for which there is no queue is dropped by the broker; declare your queue before you need it,
  durable, and look after its length.
- **While the broker is away** events wait in the outbox, for as long as it takes: [broker lost](../operating/broker-lost.md).
- Events that were handed on are kept for \`HEADWAY_KEEP\`, and can be announced again that long.

## Queues of Headway

| queue | bound to | what is in it |
|---|---|---|
| \`<stage>\` | \`work.<stage>\` | news of work, at most 10,000; workers hear them |
| \`<stage>.failed\` | \`dead.<stage>\` | the events of its dead letters, at most 100,000, for your tools and alerts; Headway reads none of them |
| \`${inboxQueue}\` | \`${routingKeyOf(archiveIngested)}\` | events from outside |

All are quorum queues. What comes in a queue of Headway and is no event that it knows goes to quarantine, with its bytes and a reason:
\`headway failed list --quarantine\`.
`;

const aboutFields: Readonly<Record<string, string>> = {
  event_type: "as in the table above",
  event_id: "the same fact has the same id however often it is told: dedupe by it",
  timestamp: "when it happened, ISO 8601",
  version: `of the envelope and its data, now \`${eventVersion}\``,
  data: "what depends on the type",
  correlation_id: "`req_<uuid>.stage_<name>.retry_<n>`: `headway trace` takes it",
  causation_id:
    "the request that everything about a document follows from; if that was an event from outside, its `event_id`",
};

function fail(name: string): never {
  throw new Error(`Say in tools/event-pages.ts what the field "${name}" of an envelope is.`);
}
