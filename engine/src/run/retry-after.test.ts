import { expect, it } from "vitest";
import { z } from "zod";
import { collection } from "../define/collection.ts";
import { pipeline } from "../define/pipeline.ts";
import { stage } from "../define/stage.ts";
import { openTestEngine } from "../testing.ts";

const pages = collection("pages", z.object({ url: z.string() }));
const fetching = stage("fetching", {
  reads: pages,
  writes: [],
  // biome-ignore lint/correctness/useYield: the stage always fails first.
  *run() {
    const headers = { "retry-after": "Thu, 01 Jan 2026 00:10:00 GMT" };
    throw Object.assign(new Error("not now"), { status: 503, headers });
  },
});

it("a service that names the moment at which it wants to be asked again is asked then", async () => {
  const engine = await openTestEngine({
    pipelines: [pipeline("fetching", { stages: [fetching] })],
    services: {},
  });
  try {
    await engine.accept(pages.document("a", { url: "https://example.org" }));
    await engine.step();
    const retried = engine.signals.find((signal) => signal.kind === "task.retried");
    expect(retried).toMatchObject({
      fault: { kind: "rate-limited" },
      nextAt: new Date("2026-01-01T00:10:00Z"),
    });
  } finally {
    await engine.close();
  }
});
