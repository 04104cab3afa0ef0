import { lookup as lookUp } from "node:dns/promises";
import * as http from "node:http";
import * as https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { FetchLimits } from "./fetch-limits.ts";
import { IngestRefusal } from "./refusal.ts";
import { showUrl } from "./web-address.ts";

export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

export type Resolve = (host: string) => Promise<readonly HostAddress[]>;

export interface Wanted {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Addresses not to connect to. */
  readonly isForbidden: (address: string) => boolean;
  readonly limits: FetchLimits;
  readonly signal: AbortSignal;
  readonly resolve: Resolve | undefined;
}

/**
 * One request, to a checked address: the name is resolved once, and the connection goes to the resolved address, so a
 * name cannot change between the check and the connection (DNS rebinding).
 */
export async function request(wanted: Wanted): Promise<http.IncomingMessage> {
  const { url, signal, limits } = wanted;
  const addresses = await addressesOf(wanted);
  const { request: send } = url.protocol === "https:" ? https : http;
  // Credentials go through the headers, where other origins never see them.
  const target = urlToOptions(url);
  try {
    return await new Promise((resolve, reject) => {
      const sent = send({
        ...target,
        method: "GET",
        headers: wanted.headers,
        signal,
        agent: false,
        lookup: pinTo(addresses),
        maxHeaderSize: 64 * 1024,
      });
      const tooSlow = (what: string) => () => sent.destroy(new Error(what));
      const connecting = setTimeout(tooSlow("no connection in time"), limits.connectMs);
      sent.once("socket", (socket) => {
        const ready = url.protocol === "https:" ? "secureConnect" : "connect";
        socket.once(ready, () => clearTimeout(connecting));
      });
      sent.once("close", () => clearTimeout(connecting));
      sent.setTimeout(limits.idleMs, tooSlow(`no byte for ${limits.idleMs / 1000} s`));
      sent.once("response", resolve);
      sent.once("error", reject);
      sent.end();
    });
  } catch (error) {
    if (signal.aborted && (signal.reason as Error | undefined)?.name !== "TimeoutError") throw signal.reason;
    throw refuseUnreachable(url, error);
  }
}

async function addressesOf(wanted: Wanted): Promise<readonly HostAddress[]> {
  const { url, isForbidden, resolve = resolveByDns } = wanted;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const family = isIP(host);
  const addresses =
    family === 0
      ? await resolve(host).catch((error) => {
          throw refuseUnreachable(url, error);
        })
      : [{ address: host, family }];
  if (addresses.length === 0) throw refuseUnreachable(url, new Error("the host has no address"));
  // A single forbidden address is enough: the connection may use any.
  if (addresses.some(({ address }) => isForbidden(address))) throw refusePrivate(url);
  return addresses;
}

const resolveByDns: Resolve = (host) => lookUp(host, { all: true, verbatim: true });

/** Node asks for one address or for all, depending on its connection method. */
function pinTo(addresses: readonly HostAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses as readonly [HostAddress];
    if (options.all) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

function urlToOptions(url: URL) {
  return {
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? undefined : Number(url.port),
    path: `${url.pathname}${url.search}`,
  };
}

const refusePrivate = (url: URL) =>
  new IngestRefusal(
    "url.private",
    showUrl(url),
    `${showUrl(url)} is on this machine or in a private network: say --allow-private (allowPrivate) to read it.`,
  );

function refuseUnreachable(url: URL, cause: unknown): IngestRefusal {
  const { code, message } = cause as NodeJS.ErrnoException;
  return new IngestRefusal(
    "url.unreachable",
    showUrl(url),
    `${showUrl(url)} cannot be reached (${code ?? message}): check the address and the network.`,
    { cause },
  );
}
