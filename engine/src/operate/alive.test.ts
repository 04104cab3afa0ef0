import { describe, expect, it } from "vitest";
import type { Database } from "../store/database.ts";
import { busySince, isAlive } from "./alive.ts";

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, seconds));
const clock = { now: () => at(100) };
const database = {} as Database;
const context = { clock, database };
const worker = { heartbeat_at: at(95), session_held: false, host: "here", pid: 4_711 };
const late = { ...worker, heartbeat_at: at(39) };

describe("a worker that nobody evicts", () => {
  it("is alive while its heart beats", () => {
    expect(isAlive(context, worker)).toBe(true);
    expect(isAlive(context, { ...worker, heartbeat_at: at(40) })).toBe(true);
    expect(busySince(context, worker)).toBeNull();
  });

  it("is dead when it has been silent for longer than any heartbeat, and nothing else shows that it lives", () => {
    expect(isAlive(context, late)).toBe(false);
    expect(busySince(context, late)).toBeNull();
  });

  it("is busy, not dead, while its session holds its lock or its process lets us in", () => {
    expect(isAlive(context, { ...late, session_held: true })).toBe(true);
    expect(busySince(context, { ...late, session_held: true })).toEqual(at(39));
    const through = { clock, database: { owner: { host: "here", pid: 4_711 } } as unknown as Database };
    expect(busySince(through, late)).toEqual(at(39));
    expect(isAlive(through, { ...late, pid: 4_712 })).toBe(false);
  });

  it("is dead when its embedded database is ours now", () => {
    expect(isAlive({ ...context, alone: true }, { ...worker, heartbeat_at: at(100) })).toBe(false);
  });
});
