import { describe, expect, it } from "vitest";
import { numberedName, safeFileName } from "./safe-file-name.ts";

describe("a safe file name", () => {
  it.each([
    ["../../etc/passwd", "etc_passwd"],
    ["..\\..\\boot.ini", "boot.ini"],
    ["/srv/.ssh/authorized_keys", "srv_.ssh_authorized_keys"],
    ["C:\\x.txt", "C_x.txt"],
    [".bashrc", "bashrc"],
    ["-rf", "rf"],
    ["a\u0000b\u001b[31m\u202efdp.exe", "ab[31mfdp.exe"],
    ["$(reboot).sh", "(reboot).sh"],
    ["con.txt", "file_con.txt"],
    ["a file.pdf", "a_file.pdf"],
    ["...", "attachment"],
    ["", "attachment"],
    [null, "attachment"],
    ["Übersicht.pdf", "Übersicht.pdf"],
  ])("of %j is %j", (given, safe) => {
    expect(safeFileName(given)).toBe(safe);
  });

  it("keeps its ending when it is cut, within the limit of bytes", () => {
    const name = safeFileName(`${"ü".repeat(400)}.pdf`);
    expect(name).toMatch(/ü\.pdf$/);
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(150);
  });

  it("gets a number before its ending", () => {
    expect([1, 2].map((number) => numberedName("a.pdf", number))).toEqual(["a.pdf", "a-2.pdf"]);
    expect(numberedName("a", 3)).toBe("a-3");
  });
});
