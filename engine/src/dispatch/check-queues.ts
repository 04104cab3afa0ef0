import type { Channel, ChannelModel, Replies } from "amqplib";
import { type BrokerCheck, type BrokerFinding, bad, ok, warn } from "./broker-finding.ts";
import { queuesOf } from "./queues.ts";

/** Checks presence and properties of exchange and queues, without creating any. */
export async function checkQueues(
  connection: ChannelModel,
  { exchange, stages, receives }: BrokerCheck,
): Promise<BrokerFinding[]> {
  const answers: (Answer & { readonly name: string })[] = [];
  for (const { name, options } of queuesOf({ stages: stages.map((one) => ({ name: one })), receives })) {
    const answer = await ask(connection, async (channel) => {
      const found = await channel.checkQueue(name);
      // Declaring an existing queue changes nothing, and is refused if the properties differ.
      await channel.assertQueue(name, options);
      return found;
    });
    answers.push({ ...answer, name });
  }
  const topic = await ask(connection, async (channel) => {
    await channel.checkExchange(exchange);
    await channel.assertExchange(exchange, "topic", { durable: true });
    return null;
  });
  const refused = [...answers, { ...topic, name: exchange }].flatMap(tellRefused);
  if (refused.length > 0) return refused;
  const there = answers.filter((one) => one.kind === "there");
  if (there.length === 0)
    return [
      warn(
        'There are no queues of Headway yet: "headway up" or "headway work" makes them, with HEADWAY_BROKER_URL set.',
      ),
    ];
  // Queues of dead letters need no consumer.
  const heard = there.filter(({ name }) => !name.endsWith(".failed"));
  const waiting = heard.reduce((sum, { queue }) => sum + (queue?.messageCount ?? 0), 0);
  const missing = [...answers, { ...topic, name: exchange }].filter(({ kind }) => kind === "missing");
  return [
    ok(
      `Exchange ${exchange} with ${there.length} quorum queues; ${waiting === 1 ? "1 piece of news waits" : `${waiting} pieces of news wait`}.`,
    ),
    ...tellMissing(missing.map(({ name }) => name)),
    ...heard.flatMap(tellUnheard),
  ];
}

/** The broker's answer about one queue or exchange. */
interface Answer {
  readonly kind: "there" | "missing" | "other" | "forbidden";
  /** The broker's own words. */
  readonly because?: string;
  readonly queue?: Replies.AssertQueue | null;
}

/** The broker answers "no" by closing the channel, so each question has its own. */
async function ask(
  connection: ChannelModel,
  question: (channel: Channel) => Promise<Replies.AssertQueue | null>,
): Promise<Answer> {
  const channel = await connection.createChannel();
  channel.on("error", () => undefined);
  try {
    const queue = await question(channel);
    await channel.close();
    return { kind: "there", queue };
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    const because = /"(?:\w+ - )?([^"]*)"$/.exec(message)?.[1] ?? message;
    if (code === 404) return { kind: "missing" };
    if (code === 403) return { kind: "forbidden", because };
    if (code === 406) return { kind: "other", because };
    throw error;
  }
}

function tellRefused({ kind, because, name }: Answer & { readonly name: string }): BrokerFinding[] {
  if (kind === "forbidden")
    return [
      bad(
        `"${name}" may not be used (${because}): allow it with "rabbitmqctl set_permissions -p VHOST USER '.*' '.*' '.*'".`,
      ),
    ];
  if (kind === "other")
    return [
      bad(
        `"${name}" is somebody else's, or was made by other software (${because}): give Headway a vhost of its own in HEADWAY_BROKER_URL, or delete it if nobody needs it.`,
      ),
    ];
  return [];
}

const namedMax = 3;

function tellMissing(names: readonly string[]): BrokerFinding[] {
  if (names.length === 0) return [];
  const some = `${names.slice(0, namedMax).join(", ")}${names.length > namedMax ? " …" : ""}`;
  return [warn(`Not there: ${some}; a worker that starts makes ${names.length === 1 ? "it" : "them"} anew.`)];
}

function tellUnheard({ name, queue }: Answer & { readonly name: string }): BrokerFinding[] {
  if (!queue || queue.messageCount === 0 || queue.consumerCount > 0) return [];
  const count = queue.messageCount === 1 ? "1 waits" : `${queue.messageCount} wait`;
  return [warn(`Nobody listens to "${name}", where ${count}: start "headway work".`)];
}
