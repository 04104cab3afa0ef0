import { describe, expect, it } from "vitest";
import { makePlainDrawing, makeRates, makeRest, showSeconds } from "./progress.ts";

const aLine = (done: number, waiting: number, more: object = {}) => ({
  stage: "parsing",
  done,
  waiting,
  later: 0,
  claimed: 0,
  dead: 0,
  shut: null,
  ...more,
});

describe("the speed of a stage", () => {
  it("is not known at first, and then what was done over the last looks", () => {
    let at = 0;
    const rates = makeRates(() => at);
    expect(rates.of(aLine(0, 100))).toMatchObject({ perSecond: 0, etaSeconds: null, open: 100 });
    at = 2_000;
    expect(rates.of(aLine(50, 50))).toMatchObject({ perSecond: 25, etaSeconds: 2 });
  });

  it("forgets how it was long ago", () => {
    let at = 0;
    const rates = makeRates(() => at);
    rates.of(aLine(0, 1_000));
    for (let look = 1; look <= 40; look++) {
      at = look * 1_000;
      rates.of(aLine(look, 1_000));
    }
    at = 41_000;
    const { perSecond } = rates.of(aLine(140, 900));
    expect(perSecond).toBeCloseTo(118 / 19);
  });

  it("has no end in sight when nothing is left or nothing moves", () => {
    let at = 0;
    const rates = makeRates(() => at);
    rates.of(aLine(10, 5));
    at = 1_000;
    expect(rates.of(aLine(10, 5))).toMatchObject({ perSecond: 0, etaSeconds: null });
    expect(rates.of(aLine(15, 0))).toMatchObject({ etaSeconds: null });
  });

  it("is never below nothing, although work can be owed again", () => {
    let at = 0;
    const rates = makeRates(() => at);
    rates.of(aLine(100, 0));
    at = 1_000;
    expect(rates.of(aLine(20, 80)).perSecond).toBe(0);
  });

  it("is told apart from that of another stage", () => {
    let at = 0;
    const rates = makeRates(() => at);
    rates.of(aLine(0, 10));
    at = 1_000;
    expect(rates.of(aLine(7, 3, { stage: "merging" })).perSecond).toBe(0);
    expect(rates.of(aLine(7, 3)).perSecond).toBe(7);
  });

  it("counts as open what waits, what waits for later and what is being done", () => {
    expect(makeRates().of(aLine(1, 2, { later: 3, claimed: 4 })).open).toBe(9);
  });
});

describe("progress where nobody watches", () => {
  function draw() {
    const written: string[] = [];
    const clock = { at: 0 };
    const drawing = makePlainDrawing({ warn: (text) => void written.push(text) }, () => clock.at);
    const rates = makeRates(() => clock.at);
    const look = (at: number, done: number, open: number, dead = 0) => {
      clock.at = at;
      drawing.draw([rates.of(aLine(done, open, { dead })), rates.of(aLine(0, 0, { stage: "merging" }))]);
    };
    return { written, drawing, look };
  }

  it("says nothing about what was there before, and nothing when nothing happens", () => {
    const { written, drawing, look } = draw();
    look(0, 187, 0);
    look(5_000, 187, 0);
    drawing.end();
    expect(written).toEqual([]);
  });

  it("speaks as soon as something moves, then every few seconds, and at the end", () => {
    const { written, drawing, look } = draw();
    look(0, 0, 0);
    look(500, 1, 9);
    look(1_000, 2, 8);
    look(3_500, 5, 5);
    look(4_000, 9, 0, 1);
    drawing.end();
    expect(written.map((line) => line.replace(/ · about.*/, ""))).toEqual([
      expect.stringMatching(/^parsing 1\/10/),
      expect.stringMatching(/^parsing 5\/10/),
      "parsing 9 (1 dead)\n",
    ]);
    expect(written[1]).toMatch(/^[^\n]+about \d+(\.\d)? s left\n$/);
  });
});

describe("a rest", () => {
  it("is told when all that is left has waited for a next try for a while, and not before", () => {
    let at = 0;
    const rest = makeRest(() => at);
    const stage = { waiting: 0, later: 2, claimed: 0 };
    expect([rest.of([{ ...stage, waiting: 1 }]), rest.of([stage])]).toEqual([null, null]);
    at = 10_000;
    expect(rest.of([stage])).toBe(
      "2 tasks wait for a next try (headway explain says when); Ctrl-C is safe, the next run goes on.",
    );
    expect([rest.of([stage, { ...stage, claimed: 1 }]), rest.of([stage])]).toEqual([null, null]);
  });

  it("is told once without a terminal", () => {
    const lines: string[] = [];
    const drawing = makePlainDrawing({ warn: (text) => lines.push(text) }, () => 0);
    for (const note of ["Resting.", "Resting.", null, "Resting."]) drawing.draw([], note);
    expect(lines).toEqual(["Resting.\n", "Resting.\n"]);
  });
});

describe("a time", () => {
  it("is as exact as it has to be", () => {
    expect([0.25, 9.94, 59.6, 600, 7_200].map(showSeconds)).toEqual([
      "0.3 s",
      "9.9 s",
      "60 s",
      "10 min",
      "2.0 h",
    ]);
  });
});
