import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";

export interface TakenMail {
  readonly to: string;
  readonly text: string;
}

/** `drops`: ends the connection within the message. `hangs`: never says anything. */
export type MailMood = "fine" | "greylists" | "refuses" | "drops" | "hangs";

/** A real SMTP server on the loopback address, as good or bad as told. */
export async function startMailServer() {
  const taken: TakenMail[] = [];
  const state = { mood: "fine" as MailMood };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => undefined);
    if (state.mood !== "hangs") converse(socket, state, taken);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    taken,
    state,
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

function converse(socket: Socket, { mood }: { readonly mood: MailMood }, taken: TakenMail[]): void {
  const say = (line: string) => socket.write(`${line}\r\n`);
  let pending = "";
  let to = "";
  let message: string[] | null = null;
  const command = (line: string) => {
    const word = line.slice(0, 4).toUpperCase();
    if (word === "EHLO" || word === "HELO") return say("250 sink");
    if (word === "RCPT") {
      to = /<([^>]*)>/.exec(line)?.[1] ?? "";
      if (mood === "greylists") return say("451 4.7.1 try again later");
      if (mood === "refuses") return say("550 5.1.1 no such person");
    }
    if (word === "DATA") {
      message = [];
      return say("354 go on");
    }
    if (word === "QUIT") return void socket.end("221 bye\r\n");
    say("250 ok");
  };
  say("220 sink");
  socket.on("data", (bytes) => {
    pending += bytes.toString("latin1");
    for (let end = pending.indexOf("\r\n"); end >= 0; end = pending.indexOf("\r\n")) {
      const line = pending.slice(0, end);
      pending = pending.slice(end + 2);
      if (!message) command(line);
      else if (mood === "drops") return void socket.destroy();
      else if (line !== ".") message.push(line);
      else {
        taken.push({ to, text: message.join("\n") });
        message = null;
        say("250 taken");
      }
    }
  });
}
