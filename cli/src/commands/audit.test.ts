import type { AuditRow } from "@headway/engine/operate";
import { expect, it } from "vitest";
import { withoutSteps } from "./audit.ts";

it("the steps of a ramp are one line, the newest of them", () => {
  const row = (id: number, act: string, detail: object): AuditRow => ({
    ...{ id, at: new Date(0), actor: "ann", act, target: "dead letters", why: null },
    detail,
  });
  const rows = [
    row(9, "dead.ramp", { ramp: 5 }),
    row(8, "dead.ramp", { ramp: null }),
    row(7, "stage.pause", {}),
    row(6, "dead.ramp", { ramp: 5 }),
    row(5, "dead.ramp", { ramp: null }),
  ];
  expect(withoutSteps(rows).map(({ id }) => id)).toEqual([9, 8, 7]);
});
