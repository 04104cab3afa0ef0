import { digest } from "./compose-mail.ts";

/** What disks, crashes and old gateways do to mails in an archive. */
export function damageMail(mail: Buffer, damage: string | undefined): Buffer {
  const [kind, amount] = (damage ?? "").split(" ");
  switch (kind) {
    // The writer stopped: nothing after the first bytes.
    case "cut":
      return Buffer.concat([mail.subarray(0, Number(amount))]);
    // A block of another file, as many bytes as asked for.
    case "binary":
      return noise(Number(amount));
    // A reserved block never written.
    case "zeros":
      return Buffer.alloc(Number(amount));
    // A gateway with two bytes for each character of the body.
    case "nuls":
      return wideBody(mail);
    // Headers, and then nothing, not even the blank line.
    case "stub":
      return mail.subarray(0, mail.indexOf("\n\n") + 1);
    default:
      return mail;
  }
}

/** Pseudorandom bytes, the same every time, without line ends. */
function noise(size: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(size / 32) }, (_, at) =>
    Buffer.from(digest(`noise ${at}`), "hex"),
  );
  const bytes = Buffer.concat(blocks).subarray(0, size);
  return Buffer.from(bytes.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x01 : byte)));
}

function wideBody(mail: Buffer): Buffer {
  const body = mail.indexOf("\n\n") + 2;
  const wide = Buffer.alloc((mail.length - body) * 2);
  mail.subarray(body).forEach((byte, at) => {
    wide[at * 2] = byte;
  });
  return Buffer.concat([mail.subarray(0, body), wide, Buffer.from("\n")]);
}
