import { lookup } from "node:dns/promises";
import { permanent, transient } from "@headway/engine";
import { isPrivateAddress } from "../addresses.ts";
import type { SourceSpec } from "./spec.ts";

/** Refuses a host inside this network, for programs that make their own connections. */
export async function checkHost({ place, kind, allowPrivate }: SourceSpec): Promise<void> {
  const host = new URL(place).hostname.replace(/^\[|\]$/g, "");
  if (host === "" || allowPrivate) return;
  const found = await lookup(host, { all: true }).catch((cause: unknown) => {
    throw transient(`${kind}.unreachable`, `${host} cannot be found.`, { cause });
  });
  if (found.some(({ address }) => isPrivateAddress(address)))
    throw permanent(
      `${kind}.private`,
      `${host} is on this machine or in a private network: say --allow-private to read it.`,
    );
}
