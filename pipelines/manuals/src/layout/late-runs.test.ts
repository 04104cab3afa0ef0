import { describe, expect, it } from "vitest";
import { settleLateRuns } from "./late-runs.ts";

const line = (name: string, x0: number, y0: number, x1: number) => ({ name, x0, y0, x1, y1: y0 + 10 });
const namesOf = (...stream: ReturnType<typeof line>[]) =>
  settleLateRuns(stream, 10)
    .map(({ name }) => name)
    .join(" ");

describe("a run written after its page", () => {
  it("stands in the gap between the lines around it", () => {
    const text = [line("caption", 60, 100, 500), line("after", 60, 300, 500), line("foot", 60, 700, 500)];
    const table = [line("head", 60, 130, 400), line("row", 60, 150, 400)];
    expect(namesOf(...text, ...table)).toBe("caption head row after foot");
  });

  it("stands first when nothing of its columns is above", () => {
    const body = [line("one", 60, 100, 500), line("two", 60, 120, 500)];
    expect(namesOf(...body, line("title", 60, 40, 500))).toBe("title one two");
  });

  it("is the next column when no line of its columns is there", () => {
    const left = [line("l1", 60, 100, 280), line("l2", 60, 120, 280)];
    const right = [line("r1", 300, 100, 500), line("r2", 300, 120, 500)];
    expect(namesOf(...left, ...right)).toBe("l1 l2 r1 r2");
  });

  it("stays at its end when it crosses columns, because lines below come before lines above", () => {
    const left = [line("l1", 60, 100, 280), line("l2", 60, 300, 280)];
    const right = [line("r1", 300, 100, 500), line("r2", 300, 300, 500)];
    expect(namesOf(...left, ...right, line("wide", 60, 200, 500))).toBe("l1 l2 r1 r2 wide");
  });
});
