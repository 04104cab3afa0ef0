import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeVault, openVault } from "./secrets.ts";

const [old, young] = [randomBytes(32), randomBytes(32)];

it("a sealed secret opens with its key and its name only", () => {
  const vault = makeVault([old]);
  const sealed = vault.seal("inbox", "hunter2");
  expect(sealed).not.toContain("hunter2");
  expect(vault.open("inbox", sealed)).toBe("hunter2");
  expect(() => vault.open("other", sealed)).toThrow("cannot be opened");
  expect(() => makeVault([young]).open("inbox", sealed)).toThrow("cannot be opened");
  const damaged = sealed.slice(0, -4) + (sealed.endsWith("AAAA") ? "BBBB" : "AAAA");
  expect(() => vault.open("inbox", damaged)).toThrow("cannot be opened");
  expect(vault.seal("inbox", "hunter2")).not.toBe(sealed);
});

it("a rotation opens with the old key and seals with the new one", () => {
  const sealed = makeVault([old]).seal("inbox", "hunter2");
  const both = makeVault([young, old]);
  expect(both.open("inbox", sealed)).toBe("hunter2");
  expect(both.isCurrent(sealed)).toBe(false);
  const again = both.seal("inbox", both.open("inbox", sealed));
  expect(both.isCurrent(again)).toBe(true);
  expect(makeVault([young]).open("inbox", again)).toBe("hunter2");
});

it("an installation without the variable keeps a key of its own, readable by its owner alone", async () => {
  const data = await mkdtemp(join(tmpdir(), "headway-vault-"));
  try {
    const sealed = (await openVault({ env: {}, data })).seal("inbox", "hunter2");
    expect((await openVault({ env: {}, data })).open("inbox", sealed)).toBe("hunter2");
    expect((await stat(join(data, "secret.key"))).mode & 0o077).toBe(0);
    const key = (await readFile(join(data, "secret.key"), "utf8")).trim();
    expect((await openVault({ env: { HEADWAY_SECRET_KEY: key }, data: "/none" })).open("inbox", sealed)).toBe(
      "hunter2",
    );
    await expect(openVault({ env: { HEADWAY_SECRET_KEY: "short" }, data })).rejects.toThrow(
      "32 bytes in base64",
    );
  } finally {
    await rm(data, { recursive: true, force: true });
  }
});
