import { createServer } from "node:net";
import { Refusal } from "./exit-codes.ts";
import { parseCount } from "./shared-options.ts";

const usualPort = 7_077;

/** The port named by the user, which has to be free; else the usual port, or 0 (any free port) if the usual port is taken. */
export async function choosePort(named: string | undefined): Promise<number> {
  const port = named === undefined ? usualPort : parseCount(named, "--port", 65_535);
  if (await isFree(port)) return port;
  if (named === undefined) return 0;
  throw new Refusal(
    `Port ${port} is taken by another process: name another with --port, or leave --port and HEADWAY_PORT out to take a free one.`,
  );
}

/** Listens on the chosen port; on any free port if the user named none and another process was faster. */
export async function listenOn<T>(
  port: number,
  named: string | undefined,
  listen: (port: number) => Promise<T>,
): Promise<T> {
  try {
    return await listen(port);
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
    if (!isTaken || named !== undefined || port === 0) throw error;
    return await listen(0);
  }
}

/** False: taken. Any other obstacle is met, and told, by the server itself. */
const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code !== "EADDRINUSE"));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
