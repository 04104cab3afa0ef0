import { expect, it } from "vitest";
import { showsPassword } from "./run.ts";

it("a password on the command line is noticed, however the option is written", () => {
  expect(showsPassword(["status", "--database", "postgres://ann:secret@host/db"])).toBe(true);
  expect(showsPassword(["status", "--database=postgres://ann:secret@host/db"])).toBe(true);
  expect(showsPassword(["status", "--database", "postgres://ann@host:5432/db"])).toBe(false);
  expect(showsPassword(["search", "postgres://ann:secret@host/db"])).toBe(false);
});
