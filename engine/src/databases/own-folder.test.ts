import { chmod, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lockFolder } from "./folder-lock.ts";
import { refuseForeign } from "./own-folder.ts";
import { readToken } from "./share.ts";

const uid = process.getuid?.() ?? 0;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "headway-own-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("a folder and a token that somebody else may have planted", () => {
  it("are used when they are ours", async () => {
    await refuseForeign(folder);
    const token = await readToken(folder);
    expect(await readToken(folder)).toBe(token);
  });

  it("are refused when they belong to another user", async () => {
    await expect(refuseForeign(folder, { uid: uid + 1 })).rejects.toThrow(
      `belongs to user ${uid} and not to you (${uid + 1}). Become that user`,
    );
  });

  it("are refused when others can write to the folder, or read the token", async () => {
    await chmod(folder, 0o777);
    await expect(lockFolder(folder)).rejects.toThrow("everybody may write to it. Close it with: chmod o-w");
    await chmod(folder, 0o700);
    await writeFile(join(folder, "token"), "known", { mode: 0o644 });
    await expect(readToken(folder)).rejects.toThrow("others may read or change it");
  });

  it("are refused when the token is a link to something else", async () => {
    await symlink("/etc/hostname", join(folder, "token"));
    await expect(readToken(folder)).rejects.toThrow("it is no plain file");
  });
});
