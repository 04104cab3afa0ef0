import { describe, expect, it } from "vitest";
import { isAlive } from "./alive.ts";

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, seconds));
const clock = { now: () => at(100) };

describe("a worker that nobody evicts", () => {
  it("is alive while its heart beats", () => {
    expect(isAlive({ clock }, { heartbeat_at: at(95) })).toBe(true);
    expect(isAlive({ clock }, { heartbeat_at: at(40) })).toBe(true);
  });

  it("is dead when it has been silent for longer than any heartbeat", () => {
    expect(isAlive({ clock }, { heartbeat_at: at(39) })).toBe(false);
  });

  it("is dead when its embedded database is ours now", () => {
    expect(isAlive({ clock, alone: true }, { heartbeat_at: at(100) })).toBe(false);
  });
});
