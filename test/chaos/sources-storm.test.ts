import { samplePath } from "@headway/consensus";
import { describe, expect, it } from "vitest";
import { stormSources } from "../../chaos/sources-storm.ts";

describe("mails that arrive while server, network, certificate and workers break", () => {
  it("are all there in the end, and once", { timeout: 400_000 }, async () => {
    const storm = { archive: samplePath(), minutes: 0.4, mailsMax: 30, seed: 3, tell: () => undefined };
    const outcome = await stormSources(storm);
    expect(outcome).toMatchObject({ delivered: 30, lost: 0, doubled: 0, dead: 0 });
    expect(Object.keys(outcome.strikes).length).toBeGreaterThan(2);
  });
});
