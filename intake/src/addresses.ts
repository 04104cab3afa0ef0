import { BlockList, isIP, isIPv4 } from "node:net";

/** Whether an address leads to this machine, this network or nowhere, rather than into the open internet. */
export function isPrivateAddress(address: string): boolean {
  const bare = address.split("%", 1)[0] ?? "";
  switch (isIP(bare)) {
    case 4:
      return privateFour().check(bare, "ipv4");
    case 6:
      return isPrivateSix(bare);
    default:
      return true;
  }
}

/** In IPv6 only a part of one eighth is the open internet; some of it carries IPv4 addresses inside. */
function isPrivateSix(address: string): boolean {
  const words = wordsOf(address);
  const embedded = embeddedFour(words);
  if (embedded !== null) return privateFour().check(embedded, "ipv4");
  const first = words[0] as number;
  if (first >> 13 !== 1) return true;
  return privateSix().check(address, "ipv6");
}

/** The IPv4 address in mapped, compatible, NAT64 and 6to4 addresses. */
function embeddedFour(words: readonly number[]): string | null {
  const startsWith = (...start: readonly number[]) => start.every((word, at) => words[at] === word);
  if (startsWith(0, 0, 0, 0, 0, 0xffff) || startsWith(0, 0, 0, 0, 0xffff, 0)) return fourOf(words, 6);
  if (startsWith(0, 0, 0, 0, 0, 0)) return fourOf(words, 6);
  if (startsWith(0x64, 0xff9b, 0, 0, 0, 0)) return fourOf(words, 6);
  return startsWith(0x2002) ? fourOf(words, 1) : null;
}

function fourOf(words: readonly number[], at: number): string {
  const [high, low] = [words[at] as number, words[at + 1] as number];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** The eight words of a valid address, whatever its spelling. */
function wordsOf(address: string): number[] {
  const [before, after] = address.split("::").map(half);
  const head = before ?? [];
  if (after === undefined) return head;
  return [...head, ...Array<number>(Math.max(0, 8 - head.length - after.length)).fill(0), ...after];
}

function half(text: string): number[] {
  return text.split(":").flatMap((word) => {
    if (word === "") return [];
    if (!isIPv4(word)) return [Number.parseInt(word, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = word.split(".").map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

const fourRanges: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  // Open by its number, but it tells a machine in Azure its secrets.
  ["168.63.129.16", 32],
  ["224.0.0.0", 3],
];

const sixRanges: readonly (readonly [string, number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["3fff::", 20],
];

const privateFour = once(() => makeBlockList(fourRanges, "ipv4"));
const privateSix = once(() => makeBlockList(sixRanges, "ipv6"));

function makeBlockList(ranges: readonly (readonly [string, number])[], type: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of ranges) list.addSubnet(address, prefix, type);
  return list;
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
