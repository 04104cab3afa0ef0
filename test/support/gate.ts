import { once } from "node:events";
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from "node:net";

/** A TCP proxy in front of a server, transparent until told otherwise. */
export interface Gate {
  /** The server's URL, through the proxy. */
  readonly url: string;
  /** Delays all traffic from now on; 0: no delay. */
  delay(ms: number): void;
  /** Breaks each existing connection after `bytes` more bytes to the client. */
  cutAfter(bytes: number): void;
  /**
   * For the next `times` occurrences of a client's text: the server receives the text, and the answer is lost with
   * the connection.
   */
  cutAnswerTo(text: string, times?: number): void;
  /** Breaks all existing connections; new connections pass. */
  cutAll(): void;
  /** Blocks all traffic until `release`; existing connections stay open, new connections hang. */
  swallow(): void;
  /** Delivers the blocked traffic late, or breaks its connections. */
  release(how: "deliver" | "break"): void;
  readonly swallowing: boolean;
  readonly cuts: number;
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  /** Traffic to the server, and back. */
  readonly there: Way;
  readonly back: Way;
  /** Bytes still allowed back to the client; null: no limit. */
  left: number | null;
}

/** One direction of a connection. Bytes never overtake each other. */
interface Way {
  readonly to: Socket;
  readonly waiting: { readonly data: Buffer; readonly dueAt: number }[];
}

export async function openGate(target: string): Promise<Gate> {
  const address = addressOf(target);
  const pairs = new Set<Pair>();
  let delayMs = 0;
  let swallowing = false;
  let cuts = 0;
  let fatal = { text: "", times: 0 };

  const cut = (pair: Pair) => {
    if (pairs.delete(pair)) cuts += 1;
    pair.client.destroy();
    pair.server.destroy();
  };
  const cutAll = () => {
    for (const pair of [...pairs]) cut(pair);
  };
  const send = (pair: Pair, { to }: Way, data: Buffer) => {
    if (to.destroyed) return;
    if (to !== pair.client || pair.left === null) return void to.write(data);
    to.write(data.subarray(0, pair.left));
    pair.left -= data.length;
    if (pair.left <= 0) cut(pair);
  };
  const drain = (pair: Pair, way: Way) => {
    while (!swallowing && way.waiting[0]) {
      const { data, dueAt } = way.waiting[0];
      const waitMs = dueAt - Date.now();
      if (waitMs > 0) return void setTimeout(() => drain(pair, way), waitMs);
      way.waiting.shift();
      send(pair, way, data);
    }
  };
  const pass = (pair: Pair, way: Way, data: Buffer) => {
    way.waiting.push({ data, dueAt: Date.now() + delayMs });
    // Otherwise a drain is already in progress for earlier data.
    if (way.waiting.length === 1) drain(pair, way);
  };
  const gate = createServer((client) => {
    const server = connect(address);
    const there: Way = { to: server, waiting: [] };
    const back: Way = { to: client, waiting: [] };
    const pair: Pair = { client, server, there, back, left: null };
    pairs.add(pair);
    for (const socket of [client, server]) socket.setNoDelay(true).on("error", () => undefined);
    client.on("data", (data) => {
      if (fatal.times > 0 && data.includes(fatal.text)) {
        fatal.times -= 1;
        pair.left = 0;
      }
      pass(pair, there, data);
    });
    server.on("data", (data) => pass(pair, back, data));
    const end = () => {
      pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    client.on("close", end);
    server.on("close", end);
  });
  gate.listen(0, "127.0.0.1");
  await once(gate, "listening");
  const through = new URL(target);
  through.searchParams.delete("host");
  through.hostname = "127.0.0.1";
  through.port = String((gate.address() as AddressInfo).port);
  return {
    url: through.href,
    delay(ms) {
      delayMs = ms;
    },
    cutAfter(bytes) {
      for (const pair of pairs) pair.left = bytes;
    },
    cutAnswerTo(text, times = 1) {
      fatal = { text, times };
    },
    cutAll,
    swallow() {
      swallowing = true;
    },
    release(how) {
      swallowing = false;
      if (how === "break") cutAll();
      for (const pair of pairs) for (const way of [pair.there, pair.back]) drain(pair, way);
    },
    get swallowing() {
      return swallowing;
    },
    get cuts() {
      return cuts;
    },
    async close() {
      cutAll();
      gate.close();
      await once(gate, "close");
    },
  };
}

/** Address of a server on a port, or of a PostgreSQL socket in a folder. */
function addressOf(target: string): NetConnectOpts {
  const { hostname, port, protocol, searchParams } = new URL(target);
  const folder = searchParams.get("host");
  if (folder) return { path: `${folder}/.s.PGSQL.${searchParams.get("port") ?? 5432}` };
  return { port: Number(port || (protocol.startsWith("amqp") ? 5672 : 5432)), host: hostname };
}
