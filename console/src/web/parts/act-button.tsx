import { useRef, useState } from "preact/hooks";
import type { Done } from "../../server/planned.ts";
import type { ShownPlan } from "../../server/plans.ts";
import { ask, type Json } from "../ask.ts";
import { connection } from "../live.ts";
import { Link } from "../route.tsx";
import { useStore } from "../store.ts";
import { me } from "./who.ts";

interface ActProps {
  readonly act: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly children: string;
  /** Told apart by screen readers where several buttons have the same words. */
  readonly label?: string;
}

type Plan = Json<ShownPlan>;

/** A button with a dry run before the act; hidden from readers. */
export function ActButton({ act, fields, children, label }: ActProps) {
  const [plan, setPlan] = useState<Plan | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  const person = useStore(me);
  const away = useStore(connection) === "database away";
  if (person?.role !== "operator") return null;
  const open = async () => {
    setPlan(null);
    setFailed(null);
    dialog.current?.showModal();
    await ask<Plan>("plan", { act, fields }).then(setPlan, (error: Error) => setFailed(error.message));
  };
  return (
    <>
      <button
        type="button"
        onClick={() => void open()}
        disabled={away}
        aria-label={label}
        aria-haspopup="dialog"
      >
        {children}
      </button>
      <dialog ref={dialog} aria-label={plan?.title ?? children} onClose={() => setPlan(null)}>
        {failed !== null && (
          <p class="note bad" role="alert">
            {failed}
          </p>
        )}
        {plan === null && failed === null && <p role="status">Looking at what would happen …</p>}
        {plan && <Confirm key={plan.token} plan={plan} close={() => dialog.current?.close()} />}
        {!plan && (
          <p class="buttons">
            <button type="button" onClick={() => dialog.current?.close()}>
              Close
            </button>
          </p>
        )}
      </dialog>
    </>
  );
}

function Confirm({ plan, close }: { readonly plan: Plan; readonly close: () => void }) {
  const [done, setDone] = useState<Json<Done> | null>(null);
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<string | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const confirm = async (event: Event) => {
    event.preventDefault();
    const given = new FormData(form.current as HTMLFormElement);
    setBusy(true);
    setFailed(null);
    const body = {
      token: plan.token,
      why: given.get("why"),
      typed: given.get("typed"),
      ramp: given.get("ramp") === "yes",
    };
    await ask<Json<Done>>("act", body).then(setDone, (error: Error) => setFailed(error.message));
    setBusy(false);
  };
  if (done) return <Told done={done} title={plan.title} close={close} />;
  return (
    <form ref={form} onSubmit={(event) => void confirm(event)}>
      <h2>{plan.title}</h2>
      {plan.sentences.map((sentence) => (
        <p>{sentence}</p>
      ))}
      {plan.warnings.map((warning) => (
        <p class="note warn">{warning}</p>
      ))}
      {plan.count > 0 && <Fields plan={plan} />}
      {failed !== null && (
        <p class="note bad" role="alert">
          {failed}
        </p>
      )}
      <p class="buttons">
        <button type="button" onClick={close}>
          {plan.count > 0 ? "Cancel" : "Close"}
        </button>
        {plan.count > 0 && (
          <button type="submit" class="act" disabled={busy}>
            {plan.button}
          </button>
        )}
      </p>
    </form>
  );
}

function Fields({ plan }: { readonly plan: Plan }) {
  return (
    <>
      {plan.ramp && (
        <fieldset>
          <legend>How</legend>
          <label>
            <input type="radio" name="ramp" value="yes" checked /> Ramp: 1, 2, 5, 20 …; stops if the same
            fault comes back
          </label>
          <label>
            <input type="radio" name="ramp" value="no" /> All at once
          </label>
        </fieldset>
      )}
      {plan.typed !== null && (
        <label class="field">
          This cannot be undone. Type <strong>{plan.typed}</strong>
          <input name="typed" required autocomplete="off" pattern={plan.typed} />
        </label>
      )}
      <label class="field">
        Why? Kept in the audit with your name.
        <input name="why" required maxLength={4_000} autocomplete="off" autofocus />
      </label>
    </>
  );
}

function Told({
  done,
  title,
  close,
}: {
  readonly done: Json<Done>;
  readonly title: string;
  readonly close: () => void;
}) {
  return (
    <div>
      <h2>{title}</h2>
      <p role="status" class="note good">
        {done.sentence}
      </p>
      <p class="buttons">
        {done.act !== null && (
          <Link class="button" href={`/acts/${done.act}`}>
            See how it goes
          </Link>
        )}
        <button type="button" class="act" onClick={close}>
          Close
        </button>
      </p>
    </div>
  );
}
