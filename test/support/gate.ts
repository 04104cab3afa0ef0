import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy in front of PostgreSQL that breaks off at the worst moment. */
export interface Gate {
  /** The server's address, through the gate. */
  readonly url: string;
  /**
   * The next `times` times that a client sends this text the server gets it, and the client is cut off before the answer.
   */
  cutAnswerTo(text: string, times?: number): void;
  /** Breaks every connection there is; new ones are let through. */
  cutAll(): void;
  /** How many connections were broken so far. */
  readonly cuts: number;
  close(): Promise<void>;
}

export async function openGate(target: string): Promise<Gate> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let fatal: { text: string; times: number } | null = null;
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port || 5432), hostname);
    let cut = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket.on("error", () => {}).on("close", () => sockets.delete(socket)));
    }
    client.on("data", (data) => {
      if (fatal && fatal.times > 0 && data.includes(fatal.text)) {
        cut = true;
        cuts += 1;
        fatal.times -= 1;
      }
      upstream.write(data);
    });
    // The answer is thrown away with the connection, so that the client cannot know what became of its request.
    upstream.on("data", (data) => (cut ? client.destroy() : client.write(data)));
    client.on("close", () => upstream.end());
    upstream.on("close", () => client.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const through = new URL(target);
  through.hostname = "127.0.0.1";
  through.port = String((server.address() as AddressInfo).port);
  const cutAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: through.href,
    cutAnswerTo(text, times = 1) {
      fatal = { text, times };
    },
    cutAll() {
      cuts += Math.ceil(sockets.size / 2);
      cutAll();
    },
    get cuts() {
      return cuts;
    },
    async close() {
      cutAll();
      server.close();
      await once(server, "close");
    },
  };
}
