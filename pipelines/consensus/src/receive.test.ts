import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Consensus } from "./consensus.ts";
import { receiveArchives } from "./receive.ts";

it("a pipe in the inbox is refused instead of waited for", async () => {
  const inbox = await mkdtemp(join(tmpdir(), "headway-inbox-"));
  try {
    execFileSync("mkfifo", [join(inbox, "pipe.mbox")]);
    const receiver = receiveArchives(Promise.resolve({} as Consensus), inbox);
    const told = { source_name: "quic", file_path: "pipe.mbox", file_hash_sha256: "0".repeat(64) };
    const given = { request: "req", signal: new AbortController().signal };
    await expect(receiver.accept(told, given as never)).rejects.toMatchObject({
      code: "archive.path",
      message: expect.stringContaining("no plain file"),
    });
  } finally {
    await rm(inbox, { recursive: true, force: true });
  }
});
