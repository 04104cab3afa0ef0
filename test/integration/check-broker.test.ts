import { createServer, type Server } from "node:net";
import { connect } from "amqplib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { hasQuorumQueues } from "../../engine/src/dispatch/check-broker.ts";
import { queuesOf } from "../../engine/src/dispatch/queues.ts";
import { checkBroker } from "../../engine/src/internal.ts";
import { freshVhost, type Vhost } from "../support/rabbitmq.ts";

let vhost: Vhost;
beforeAll(async () => {
  vhost = await freshVhost();
});
afterAll(() => vhost.close());

const ours = { exchange: "headway.events", stages: ["reading", "weighing"], receives: ["ArchiveIngested"] };
const look = async (url: string) =>
  (await checkBroker({ ...ours, url })).map(({ state, says }) => `${state} ${says}`);

it("whoever is not let in is told why, and what to do, without the password", async () => {
  const at = (change: (url: URL) => void): string => {
    const url = new URL(vhost.url);
    change(url);
    return url.href;
  };
  const silent = await listen();
  const [password, host, port, mute, other] = await Promise.all([
    look(at((url) => Object.assign(url, { username: "ann", password: "s3cret" }))),
    look(at((url) => Object.assign(url, { pathname: "/nowhere" }))),
    look("amqp://ann:s3cret@127.0.0.1:1"),
    look(`amqp://ann:s3cret@127.0.0.1:${silent.port}`),
    look(`amqp://ann:s3cret@${new URL(process.env.HEADWAY_TEST_POSTGRES ?? "").host}`),
  ]);
  silent.server.close();
  expect(password).toEqual([
    expect.stringMatching(/^bad .* refuses the user "ann" or the password: set both/),
  ]);
  expect(host).toEqual([
    expect.stringMatching(/^bad .* has no vhost "nowhere".*"rabbitmqctl add_vhost nowhere/),
  ]);
  expect(port).toEqual([expect.stringMatching(/^bad Nothing listens at 127\.0\.0\.1:1: start RabbitMQ/)]);
  expect(mute).toEqual([expect.stringMatching(/^bad .* does not answer within 3 s: .* firewall/)]);
  expect(other).toEqual([expect.stringMatching(/^bad .* does not speak AMQP/)]);
  expect([password, mute, other].flat().join()).not.toContain("s3cret");
});

it("what is there is compared with what has to be there, and nothing is made", async () => {
  const well = /^ok RabbitMQ \d+\.\d+\.\d+ at /;
  expect(await look(vhost.url)).toEqual([
    expect.stringMatching(well),
    expect.stringMatching(/^warn There are no queues of Headway yet: "headway up"/),
  ]);
  expect(await vhost.queues()).toEqual([]);
  const connection = await connect(vhost.url);
  const channel = await connection.createConfirmChannel();
  await channel.assertExchange(ours.exchange, "topic", { durable: true });
  const stages = ours.stages.map((name) => ({ name }));
  for (const { name, options } of queuesOf({ stages, receives: ours.receives }))
    await channel.assertQueue(name, options);
  channel.sendToQueue("reading", Buffer.from("{}"));
  await channel.waitForConfirms();
  expect(await look(vhost.url)).toEqual([
    expect.stringMatching(well),
    "ok Exchange headway.events with 5 quorum queues; 1 piece of news waits.",
    'warn Nobody listens to "reading", where 1 waits: start "headway work".',
  ]);
  await channel.deleteQueue("reading");
  expect((await look(vhost.url)).at(-1)).toBe("warn Not there: reading; a worker that starts makes it anew.");
  await channel.assertQueue("reading", { durable: true });
  expect((await look(vhost.url)).slice(1)).toEqual([
    expect.stringMatching(
      /^bad "reading" is somebody else's, .*\(inequivalent arg .* for queue 'reading' .*\): give Headway/,
    ),
  ]);
  await connection.close();
});

it("a broker that is too old is known by its version", () => {
  const versions = ["3.7.28", "3.8.0", "3.10.8", "4.1.0"].map((one) => hasQuorumQueues("RabbitMQ", one));
  expect(versions).toEqual([false, true, true, true]);
  expect(hasQuorumQueues("LavinMQ", "2.1.0")).toBe(true);
});

const listen = (): Promise<{ server: Server; port: number }> =>
  new Promise((resolve) => {
    const server = createServer((socket) => socket.on("error", () => undefined));
    server.listen(0, "127.0.0.1", () =>
      resolve({ server, port: (server.address() as { port: number }).port }),
    );
  });
