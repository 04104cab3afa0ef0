import { describe, expect, it } from "vitest";
import { adviceFor } from "./advice.ts";

describe("an error that nobody has made", () => {
  it("comes with what to do about a full disk and a damaged database", () => {
    expect(adviceFor({ code: "53100" })).toContain("make room");
    expect(adviceFor({ code: "ENOSPC" })).toContain("headway doctor");
    expect(adviceFor({ code: "XX001" })).toContain("headway restore");
    expect(adviceFor(new Error("PGlite failed to initialize properly."))).toContain("headway restore");
  });

  it("comes with what to do about a right that is missing", () => {
    const denied = Object.assign(new Error("EACCES: permission denied"), {
      code: "EACCES",
      path: "/srv/mail",
    });
    expect(adviceFor(denied)).toContain("with /srv/mail: give it to this user (chown, chmod)");
    expect(adviceFor({ code: "42501" })).toContain("GRANT");
    expect(adviceFor({ code: "EADDRINUSE" })).toContain("--port");
  });

  it("comes without advice when none is known", () => {
    expect(adviceFor(new Error("Something else."))).toBe("");
    expect(adviceFor(null)).toBe("");
  });
});
