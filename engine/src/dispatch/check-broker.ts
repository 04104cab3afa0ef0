import type { ChannelModel } from "amqplib";
import { loadConnect } from "./amqplib.ts";
import { type BrokerCheck, type BrokerFinding, bad, ok } from "./broker-finding.ts";
import { checkQueues } from "./check-queues.ts";
import { closeConnection } from "./close-connection.ts";
import { type Timers, within } from "./timeout.ts";

const connectMs = 3_000;
const answerMs = 10_000;

/** Inspects a broker from a worker's point of view, without changing anything. No sentence contains the password. */
export async function checkBroker(check: BrokerCheck, timers: Timers): Promise<BrokerFinding[]> {
  const address = new URL(check.url);
  const place = `${address.hostname}:${address.port || (address.protocol === "amqps:" ? 5671 : 5672)}`;
  let connection: ChannelModel;
  try {
    const connect = await loadConnect();
    connection = await connect(check.url, { timeout: connectMs, noDelay: true });
  } catch (error) {
    return [bad(whyNot(error as Error & { code?: unknown }, address, place))];
  }
  connection.on("error", () => undefined);
  try {
    return await within(timers, answerMs, examine(connection, check, place));
  } catch (error) {
    return [
      bad(`RabbitMQ at ${place} fails to answer (${(error as Error).message}): see what stands in its log.`),
    ];
  } finally {
    await closeConnection(connection, timers);
  }
}

/** A field of amqplib's connection missing in its type declarations. */
interface Connected {
  readonly connection: {
    readonly serverProperties: { readonly product?: unknown; readonly version?: unknown };
  };
}

async function examine(
  connection: ChannelModel,
  check: BrokerCheck,
  place: string,
): Promise<BrokerFinding[]> {
  const { product, version } = (connection as unknown as Connected).connection.serverProperties;
  const name = `${product} ${version} at ${place}`;
  if (!hasQuorumQueues(String(product), String(version)))
    return [bad(`${name} has no quorum queues: install RabbitMQ 3.8 or newer.`)];
  const alarm = await findAlarm(connection);
  if (alarm)
    return [
      bad(
        `${name} takes nothing now (${alarm}): give it memory or disk, see "rabbitmqctl list_alarms"; meanwhile work goes on through the database, and events wait.`,
      ),
    ];
  return [ok(`${name} answers.`), ...(await checkQueues(connection, check))];
}

/** RabbitMQ has quorum queues since 3.8; brokers of another make refuse the declaration if need be. */
export function hasQuorumQueues(product: string, version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return product !== "RabbitMQ" || major > 3 || (major === 3 && minor >= 8);
}

/** RabbitMQ reports an alarm only to publishing connections, so this publishes a message without a queue. */
async function findAlarm(connection: ChannelModel): Promise<string | null> {
  const channel = await connection.createConfirmChannel();
  return await new Promise<string | null>((resolve, reject) => {
    connection.once("blocked", (reason) => resolve(String(reason)));
    channel.once("error", reject);
    channel.publish("", "headway.doctor", Buffer.alloc(0), {}, (error) =>
      error ? reject(error) : resolve(null),
    );
  });
}

/** Reason for a failed connection, with advice. */
function whyNot({ code, message }: Error & { code?: unknown }, address: URL, place: string): string {
  const user = decodeURIComponent(address.username) || "guest";
  if (code === "ECONNREFUSED")
    return `Nothing listens at ${place}: start RabbitMQ, or set HEADWAY_BROKER_URL right.`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return `Nobody knows the machine ${address.hostname}: set HEADWAY_BROKER_URL right, or repair the name service.`;
  if (/ETIMEDOUT/.test(message))
    return `${place} does not answer within ${connectMs / 1_000} s: see whether RabbitMQ runs there, and whether a firewall is between.`;
  if (/ACCESS.REFUSED/.test(message))
    return `RabbitMQ at ${place} refuses the user "${user}" or the password: set both right in HEADWAY_BROKER_URL${user === "guest" ? '; "guest" may come from the broker\'s own machine only' : ""}.`;
  // The client hides the broker's own text when a vhost is refused.
  if (/Expected ConnectionOpenOk|NOT.ALLOWED/.test(message)) {
    const vhost = decodeURIComponent(address.pathname.slice(1)) || "/";
    return `RabbitMQ at ${place} has no vhost "${vhost}", or does not let "${user}" in: "rabbitmqctl add_vhost ${vhost}", then "rabbitmqctl set_permissions -p ${vhost} ${user} '.*' '.*' '.*'", or name another at the end of HEADWAY_BROKER_URL.`;
  }
  return `${place} does not speak AMQP as it should (${message}): set HEADWAY_BROKER_URL right (amqp://, or amqps:// with TLS).`;
}
