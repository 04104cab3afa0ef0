import type { ServerResponse } from "node:http";
import type { Beat, Hub } from "./hub.ts";
import { replyJson, safeHeaders } from "./reply.ts";

const perPersonMax = 20;
const streamsMax = 200;
const commentMs = 15_000;

/** Server-sent events for open tabs: `levels` with each reading, `away` while the database does not answer. */
export function makeStreams(hub: Hub) {
  const open = new Map<ServerResponse, string>();
  return {
    open(person: string, response: ServerResponse): void {
      const mine = [...open.values()].filter((name) => name === person).length;
      if (mine >= perPersonMax || open.size >= streamsMax) {
        replyJson(response, 429, { error: "Too many tabs are open." });
        return;
      }
      response.writeHead(200, {
        ...safeHeaders,
        "content-type": "text/event-stream",
        "cache-control": "no-store",
        "x-accel-buffering": "no",
      });
      response.write("retry: 1000\n\n");
      open.set(response, person);
      // A tab too slow for the last beat is not sent the next.
      const leave = hub.listen((beat) => {
        if (!response.writableNeedDrain) response.write(frame(beat));
      });
      // Keeps proxies from closing a silent stream.
      const comment = setInterval(() => response.write(": still here\n\n"), commentMs);
      response.on("close", () => {
        clearInterval(comment);
        leave();
        open.delete(response);
      });
    },
    close(): void {
      for (const response of open.keys()) response.end();
    },
  };
}

function frame(beat: Beat): string {
  const data = beat.kind === "levels" ? beat.levels : { since: beat.since };
  return `event: ${beat.kind}\ndata: ${JSON.stringify(data)}\n\n`;
}
