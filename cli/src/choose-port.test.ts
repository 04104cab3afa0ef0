import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterEach, expect, it } from "vitest";
import { choosePort, listenOn } from "./choose-port.ts";

const servers = new Set<ReturnType<typeof createServer>>();
afterEach(() => {
  for (const server of servers) server.close();
  servers.clear();
});

async function take(port: number): Promise<number> {
  const server = createServer().listen(port, "127.0.0.1");
  servers.add(server);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

it("a port that somebody named has to be free", async () => {
  const port = await take(0);
  await expect(choosePort(String(port))).rejects.toThrow(`Port ${port} is taken by another process`);
  for (const server of servers) server.close();
  expect(await choosePort(String(port))).toBe(port);
});

it("the second process on a machine takes a free port instead of the usual one", async () => {
  // Already taken by another process of this machine: just as well.
  await take(7_077).catch(() => undefined);
  expect(await choosePort(undefined)).toBe(0);
});

it("a process that lost the usual port to a faster one takes a free port, but not instead of a named one", async () => {
  const taken = await take(0);
  const port = await listenOn(taken, undefined, take);
  expect(port).not.toBe(taken);
  await expect(listenOn(taken, String(taken), take)).rejects.toThrow("EADDRINUSE");
});
