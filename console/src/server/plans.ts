import { randomBytes } from "node:crypto";
import { DefinitionError } from "@headway/engine";
import type { Operator } from "@headway/engine/operate";
import { acts } from "./acts.ts";
import type { ActPlaces, Done, Fields, Planned } from "./planned.ts";

/** A plan as the page shows it; the token stands for exactly this plan. */
export interface ShownPlan extends Omit<Planned, "run"> {
  readonly token: string;
}

interface Kept {
  readonly name: string;
  readonly planned: Planned;
  readonly person: string;
  readonly until: number;
  done: Promise<Done> | null;
}

/** Untrusted fields from the dialog. */
export interface Confirmed {
  readonly token: unknown;
  readonly why: unknown;
  readonly typed: unknown;
  readonly ramp: unknown;
}

const planMs = 10 * 60_000;
const plansMax = 1_000;

interface PlansOptions {
  readonly onRamp: (ramp: number, operator: Operator) => void;
  readonly places: ActPlaces;
}

/** Dry runs with tokens: an act takes the token of its dry run, so what was confirmed is what happens, and happens once. */
export function makePlans({ onRamp, places }: PlansOptions) {
  const kept = new Map<string, Kept>();

  async function plan(operator: Operator, person: string, name: string, fields: Fields): Promise<ShownPlan> {
    const kind = Object.hasOwn(acts, name) ? acts[name] : undefined;
    if (!kind) throw new DefinitionError(`There is no act "${name}".`);
    const planned = await kind(operator, fields, places);
    forgetOld();
    const token = randomBytes(18).toString("base64url");
    kept.set(token, { name, planned, person, until: Date.now() + planMs, done: null });
    const { run: _, ...shown } = planned;
    return { ...shown, token };
  }

  function forgetOld(): void {
    const now = Date.now();
    for (const [token, { until }] of kept) if (until < now || kept.size >= plansMax) kept.delete(token);
  }

  async function act(operator: Operator, person: string, confirmed: Confirmed): Promise<Done> {
    const found = typeof confirmed.token === "string" ? kept.get(confirmed.token) : undefined;
    if (!found || found.person !== person || found.until < Date.now())
      throw new DefinitionError("The dry run is older than ten minutes: open the dialog again.");
    // A double click and a repeated request get the first answer.
    if (found.done) return await found.done;
    const { planned } = found;
    const why = typeof confirmed.why === "string" ? confirmed.why.trim().slice(0, 4_000) : "";
    if (why === "") throw new DefinitionError("Say why: the reason is kept in the audit.");
    if (planned.typed !== null && confirmed.typed !== planned.typed)
      throw new DefinitionError(`Type ${planned.typed} to confirm: this cannot be undone.`);
    if (planned.count === 0) throw new DefinitionError("There is nothing to do.");
    found.done = planned.run(operator, { why, ramp: confirmed.ramp === true, actor: person });
    const done = await found.done;
    if (done.ramp !== undefined) onRamp(done.ramp, operator);
    return done;
  }

  return { plan, act };
}

const stepMs = 500;

/** Goes on with ramps until they are finished or stopped; the tab may be closed meanwhile. */
export function makeRampRunner(onError: (error: unknown) => void) {
  const running = new Set<number>();
  let closed = false;
  return {
    run(ramp: number, operator: Operator): void {
      if (running.has(ramp)) return;
      running.add(ramp);
      const step = async (): Promise<void> => {
        if (closed) return;
        const { move } = await operator.continueRamp(ramp);
        if (move.kind === "finished" || move.kind === "stop") running.delete(ramp);
        else wait();
      };
      const wait = () =>
        setTimeout(() => {
          step().catch((error: unknown) => {
            running.delete(ramp);
            onError(error);
          });
        }, stepMs).unref();
      wait();
    },
    close(): void {
      closed = true;
    },
  };
}
