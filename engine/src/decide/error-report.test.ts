import { describe, expect, it } from "vitest";
import { compareReleases, isRegression, toErrorEvent } from "./error-report.ts";

const aReport = (message: string, more: object = {}) => ({
  service: "parsing",
  error_type: "ValueError",
  message,
  ...more,
});

describe("a reported error", () => {
  it("has the same group whatever document, archive, number or release it names", () => {
    const [first, ...rest] = [
      toErrorEvent(
        aReport('archive quic-2024.mbox: message "a@b.example" is too long (812 bytes)', { release: "1.0" }),
      ),
      toErrorEvent(
        aReport('archive tls.mbox: message "c@d.example" is too long (99 bytes)', { release: "2.0" }),
      ),
    ].map((one) => one.fingerprint);
    expect(rest).toEqual([first]);
    expect(toErrorEvent(aReport("the index is corrupt")).fingerprint).not.toBe(first);
    expect(toErrorEvent(aReport("x", { fingerprint: "mine" })).fingerprint).toBe("mine");
  });

  it("loses secrets and control characters", () => {
    const event = toErrorEvent(
      aReport("login at postgres://ann:hunter2@db failed\u001b[2J", {
        stack: "Traceback\n  token=abcdef0123456789",
        context: { password: "hunter2", deep: { api_key: "k-1", note: "Bearer abcdefgh12345678" } },
      }),
    );
    expect(JSON.stringify(event)).not.toMatch(/hunter2|abcdef|k-1|\\u001b/);
    expect(event.context).toMatchObject({ password: "***", deep: { api_key: "***" } });
  });

  it("opens a resolved group again from a newer release, and not from an older one", () => {
    const now = new Date(1_000_000);
    const resolved = { state: "resolved", resolvedAt: new Date(990_000), resolvedIn: "1.9.0" } as const;
    expect(isRegression(resolved, "1.10.0", now)).toBe(true);
    expect(isRegression(resolved, "1.8.0", now)).toBe(false);
    expect(isRegression({ ...resolved, resolvedIn: null }, null, now)).toBe(false);
    expect(isRegression({ ...resolved, resolvedIn: null }, null, new Date(2_000_000))).toBe(true);
    expect(isRegression({ ...resolved, state: "open" }, "9", now)).toBe(false);
    expect(compareReleases("1.10", "1.9")).toBeGreaterThan(0);
  });
});
