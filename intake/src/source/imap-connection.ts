import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { permanent, transient } from "@headway/engine";
import { isPrivateAddress } from "../addresses.ts";

/** An answer: the text of the line, and its literals. */
export interface Answer {
  readonly text: string;
  readonly literals: readonly Buffer[];
}

/** The wire of IMAP4rev1: lines with literals, commands with tags. */
export interface ImapConnection {
  /** Sends a command and resolves with its untagged answers; NO and BAD are thrown. */
  command(text: string, options?: CommandOptions): Promise<readonly Answer[]>;
  /** Waits for news of the mailbox, at most so long. */
  idle(timeoutMs: number): Promise<void>;
  /** Leaves plain text. */
  secure(): Promise<void>;
  readonly isSecure: boolean;
  close(): void;
}

export interface CommandOptions {
  /** Called for each untagged answer; none is collected then. */
  readonly each?: (answer: Answer) => Promise<void> | void;
  /** Called when the server asks for more; returns a line to send. */
  readonly more?: () => string;
  /** Words for errors, without secrets. */
  readonly shown?: string;
}

export interface ImapPlace {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly allowPrivate: boolean;
  /** For tests: trusts this certificate besides the usual ones. */
  readonly ca?: string;
}

const idleMs = 60_000;
const lineBytesMax = 1 << 20;
const literalBytesMax = 256 * 1024 * 1024;

const unreachable = (host: string, cause: unknown) => {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(code ?? ""))
    return transient(
      "imap.certificate",
      `The certificate of ${host} is not trusted (${code}): have it renewed, or name its authority in NODE_EXTRA_CA_CERTS.`,
      { cause },
    );
  return transient("imap.unreachable", `${host} cannot be reached (${code ?? message}).`, { cause });
};

const broken = (host: string, what: string) =>
  transient("imap.broken", `${host} broke the connection or the protocol: ${what}.`);

export async function openImap(place: ImapPlace, signal: AbortSignal): Promise<ImapConnection> {
  signal.throwIfAborted();
  const wire = makeWire(await openSocket(place, signal), place.host, signal);
  const connection = wire.connection(place);
  try {
    const greeting = await wire.read();
    if (!/^\* (OK|PREAUTH)\b/i.test(greeting.text)) throw broken(place.host, "it did not greet");
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function openSocket({ host, port, tls, allowPrivate, ca }: ImapPlace, signal: AbortSignal): Promise<Socket> {
  const target = { host, port, ...(tls && { servername: isIP(host) ? "" : host, ...(ca && { ca }) }) };
  return new Promise((resolve, reject) => {
    const socket = tls ? connectTls(target) : connectPlain(target);
    const fail = (error: unknown) => {
      socket.destroy();
      reject(signal.aborted ? signal.reason : unreachable(host, error));
    };
    socket.setTimeout(idleMs, () => socket.destroy(new Error(`no byte for ${idleMs / 1_000} s`)));
    socket.once("error", fail);
    signal.addEventListener("abort", fail, { once: true });
    socket.once(tls ? "secureConnect" : "connect", () => {
      socket.off("error", fail);
      signal.removeEventListener("abort", fail);
      // The address of the connection itself is looked at: a name cannot change in between.
      if (!allowPrivate && isPrivateAddress(socket.remoteAddress ?? "")) {
        socket.destroy();
        const advice = "say --allow-private to read it";
        reject(permanent("imap.private", `${host} is on this machine or in a private network: ${advice}.`));
      } else resolve(socket);
    });
  });
}

interface Wire {
  read(): Promise<Answer>;
  connection(place: ImapPlace): ImapConnection;
}

function makeWire(first: Socket, host: string, signal: AbortSignal): Wire {
  let socket: Socket | TLSSocket = first;
  let bytes = readerOf(socket, host);
  let tags = 0;
  const abort = () => socket.destroy(new Error("stopped"));
  // The socket below TLS counts by itself.
  const setPatience = (ms: number) => {
    first.setTimeout(ms);
    if (socket !== first) socket.setTimeout(ms);
  };
  signal.addEventListener("abort", abort, { once: true });

  async function read(): Promise<Answer> {
    let text = "";
    const literals: Buffer[] = [];
    for (;;) {
      const line = await bytes.line();
      const literal = /\{(\d{1,10})\}$/.exec(line);
      text += literal ? line.slice(0, literal.index) : line;
      if (!literal) return { text, literals };
      const size = Number(literal[1]);
      if (size > literalBytesMax) throw permanent("imap.too-large", `A mail of ${host} has ${size} bytes.`);
      text += `\0${literals.length}\0`;
      literals.push(await bytes.exactly(size));
    }
  }

  async function command(
    text: string,
    { each, more, shown = text }: CommandOptions = {},
  ): Promise<readonly Answer[]> {
    const tag = `h${++tags}`;
    socket.write(`${tag} ${text}\r\n`);
    const answers: Answer[] = [];
    for (;;) {
      const answer = await read();
      if (answer.text.startsWith("+")) {
        if (!more) throw broken(host, "it asked for more");
        socket.write(`${more()}\r\n`);
      } else if (answer.text.startsWith("* ")) {
        if (/^\* BYE\b/i.test(answer.text)) throw broken(host, answer.text.slice(2, 200));
        if (each) await each(answer);
        else answers.push(answer);
      } else if (answer.text.startsWith(`${tag} `)) {
        const ended = answer.text.slice(tag.length + 1);
        if (/^OK\b/i.test(ended)) return answers;
        throw new ImapRefusal(shown.split(" ")[0] ?? "", ended.slice(0, 300));
      } else throw broken(host, "it answered something else");
    }
  }

  async function idle(timeoutMs: number): Promise<void> {
    let asked = false;
    const finish = () => {
      if (!asked) socket.write("DONE\r\n");
      asked = true;
    };
    setPatience(timeoutMs + idleMs);
    let timer: NodeJS.Timeout | undefined;
    const tag = `h${++tags}`;
    socket.write(`${tag} IDLE\r\n`);
    try {
      for (;;) {
        const { text } = await read();
        if (text.startsWith("+")) timer = setTimeout(finish, timeoutMs);
        else if (/^\* \d+ EXISTS\b/i.test(text)) finish();
        else if (text.startsWith(`${tag} `)) return;
      }
    } finally {
      clearTimeout(timer);
      setPatience(idleMs);
    }
  }

  return {
    read,
    connection: ({ tls, ca }) => {
      let isSecure = tls;
      return {
        command,
        idle,
        get isSecure() {
          return isSecure;
        },
        async secure() {
          await command("STARTTLS");
          bytes.stop();
          socket = await upgrade(first, host, ca);
          bytes = readerOf(socket, host);
          isSecure = true;
        },
        close() {
          signal.removeEventListener("abort", abort);
          socket.destroy();
        },
      };
    },
  };
}

/** NO or BAD. */
export class ImapRefusal extends Error {
  readonly command: string;
  constructor(command: string, answer: string) {
    super(answer);
    this.command = command;
  }
}

export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|::1)$/.test(host);

/** No stranger listens on this machine, and a bridge signs its certificate itself. */
const upgrade = (socket: Socket, host: string, ca: string | undefined): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const secured = connectTls({
      socket,
      servername: isIP(host) ? "" : host,
      rejectUnauthorized: !isLoopback(host),
      ...(ca && { ca }),
    });
    const fail = (error?: Error) => {
      secured.destroy();
      reject(unreachable(host, error ?? new Error("the connection ended")));
    };
    const close = () => fail();
    secured.once("error", fail).once("close", close);
    secured.once("secureConnect", () => {
      secured.off("error", fail).off("close", close);
      resolve(secured);
    });
  });

interface Bytes {
  line(): Promise<string>;
  exactly(count: number): Promise<Buffer>;
  stop(): void;
}

/** Bytes of a socket as lines and blocks; back-pressure stays with the socket. */
function readerOf(socket: Socket, host: string): Bytes {
  let held: Buffer = Buffer.alloc(0);
  let ended: unknown = null;
  let wake: () => void = () => undefined;
  const end = (error?: unknown) => {
    ended ??= error instanceof Error ? error : new Error("the connection ended");
    wake();
  };
  const ready = () => wake();
  socket.on("readable", ready).on("error", end).on("close", end).on("end", end);
  async function more(): Promise<void> {
    for (;;) {
      const piece = socket.read() as Buffer | null;
      if (piece) {
        held = held.length === 0 ? piece : Buffer.concat([held, piece]);
        return;
      }
      if (ended) throw broken(host, (ended as Error).message);
      await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  return {
    async line() {
      for (let from = 0; ; ) {
        const at = held.indexOf("\r\n", from);
        if (at >= 0) {
          const line = held.toString("latin1", 0, at);
          held = held.subarray(at + 2);
          return line;
        }
        if (held.length > lineBytesMax) throw broken(host, "a line without an end");
        from = Math.max(0, held.length - 1);
        await more();
      }
    },
    async exactly(count) {
      const pieces: Buffer[] = [];
      for (let missing = count; missing > 0; ) {
        if (held.length === 0) await more();
        const piece = held.subarray(0, missing);
        pieces.push(piece);
        held = held.subarray(piece.length);
        missing -= piece.length;
      }
      return Buffer.concat(pieces);
    },
    stop() {
      socket.off("readable", ready).off("error", end).off("close", end).off("end", end);
    },
  };
}
