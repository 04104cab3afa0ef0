import type { Duplex } from "node:stream";
import { deserialize, serialize } from "node:v8";

/** Framed values on a socket: a length, then the value in V8's serialisation, which preserves dates and bytes. */
export interface Frames {
  send(value: unknown): void;
  /** Ends after everything sent has left. */
  end(): void;
}

/** A larger frame is a mistake, or a foreign protocol. */
const frameBytesMax = 512 * 1024 * 1024;

export function makeFrames(
  socket: Duplex,
  { onValue, onEnd }: { onValue: (value: unknown) => void; onEnd: () => void },
): Frames {
  let parts: Buffer[] = [];
  let length = 0;
  let ended = false;
  const end = () => {
    if (ended) return;
    ended = true;
    onEnd();
  };
  socket.on("data", (data: Buffer) => {
    parts.push(data);
    length += data.length;
    for (let wanted = nextLength(); wanted !== null; wanted = nextLength()) onValue(take(wanted));
  });
  socket.on("close", end).on("end", end).on("error", end);

  /** The length of the next value, if complete. */
  function nextLength(): number | null {
    if (length < 4) return null;
    if ((parts[0] as Buffer).length < 4) parts = [Buffer.concat(parts)];
    const wanted = (parts[0] as Buffer).readUInt32LE();
    if (wanted > frameBytesMax) socket.destroy();
    return wanted > frameBytesMax || length < 4 + wanted ? null : wanted;
  }
  function take(wanted: number): unknown {
    const whole = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    const rest = whole.subarray(4 + wanted);
    parts = rest.length > 0 ? [rest] : [];
    length = rest.length;
    return deserialize(whole.subarray(4, 4 + wanted));
  }
  return {
    send(value) {
      const body = serialize(value);
      const head = Buffer.allocUnsafe(4);
      head.writeUInt32LE(body.length);
      socket.write(head);
      socket.write(body);
    },
    end: () => void socket.end(),
  };
}
