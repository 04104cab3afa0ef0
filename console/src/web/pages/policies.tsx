import { useState } from "preact/hooks";
import { type Page, usePage } from "../ask.ts";
import { ActButton } from "../parts/act-button.tsx";
import { Field } from "../parts/filters.tsx";
import { type Change, History } from "../parts/history.tsx";
import { Scroll } from "../parts/scroll.tsx";
import { duration, Plain } from "../parts/text.tsx";
import { me } from "../parts/who.ts";
import { WholePage } from "../parts/whole-page.tsx";
import { Link, useAddress } from "../route.tsx";
import { useStore } from "../store.ts";

type Policy = Page<"policies">["policies"][number];

/** Retry policies in force, with origin and history. */
export function PoliciesPage() {
  const asked = usePage("policies");
  const { query } = useAddress();
  return (
    <WholePage
      title="Retry policies"
      asked={asked}
      lede="How often and how soon a failed document is tried again, by stage and kind of fault. Permanent faults are never retried."
    >
      {({ policies, history }) => (
        <>
          <Scroll label="Policies">
            <table class="cards">
              <thead>
                <tr>
                  <th scope="col">Stage</th>
                  <th scope="col">Faults</th>
                  <th scope="col" class="number">
                    Attempts
                  </th>
                  <th scope="col">First wait</th>
                  <th scope="col">Longest wait</th>
                  <th scope="col">From</th>
                  <th scope="col">Act</th>
                </tr>
              </thead>
              <tbody>
                {policies
                  .filter((one) => one.kind !== "permanent")
                  .map((one) => (
                    <Row
                      key={`${one.stage} ${one.kind}`}
                      one={one}
                      edited={query.get("edit") === `${one.stage}/${one.kind}`}
                    />
                  ))}
              </tbody>
            </table>
          </Scroll>
          <h2>History</h2>
          <History empty="No operator has changed a policy." changes={history.map(toChange)} />
        </>
      )}
    </WholePage>
  );
}

const toChange = (one: Page<"policies">["history"][number]): Change => ({
  at: one.changed_at,
  by: one.changed_by,
  why: one.why,
  what: (
    <>
      <strong>{one.stage}</strong> {one.kind}: {shown(one.before)} → {shown(one.after)}
    </>
  ),
});

const shown = (policy: Policy["policy"] | null): string =>
  policy === null
    ? "the code's"
    : `${policy.attemptsMax} attempts, ${duration(policy.initialMs)} to ${duration(policy.maxMs)}`;

function Row({ one, edited }: { readonly one: Policy; readonly edited: boolean }) {
  const { policy, stage, kind } = one;
  const mayAct = useStore(me)?.role === "operator";
  return (
    <>
      <tr data-row>
        <th scope="row">
          <Link href={`/stages/${encodeURIComponent(stage)}`}>{stage}</Link>
        </th>
        <td data-label="Faults">{kind}</td>
        <td class="number" data-label="Attempts">
          {policy.attemptsMax}
        </td>
        <td data-label="First wait">{duration(policy.initialMs)}</td>
        <td data-label="Longest wait">{duration(policy.maxMs)}</td>
        <td data-label="From">
          {one.from === "operator" ? (
            <>
              set by <Plain text={one.changedBy ?? ""} />
            </>
          ) : (
            one.from
          )}
        </td>
        <td data-label="Act">
          {mayAct && (
            <Link
              class="button"
              href={edited ? "/policies" : `/policies?edit=${encodeURIComponent(`${stage}/${kind}`)}`}
            >
              {edited ? "Close" : `Edit`}
              <span class="unseen">
                {" "}
                {stage} {kind}
              </span>
            </Link>
          )}
          {one.from === "operator" && (
            <ActButton act="policyReset" fields={{ stage, kind }} label={`Reset ${stage} ${kind}`}>
              Reset…
            </ActButton>
          )}
        </td>
      </tr>
      {edited && <Edit one={one} />}
    </>
  );
}

function Edit({ one }: { readonly one: Policy }) {
  const { policy, stage, kind } = one;
  const [attempts, setAttempts] = useState(String(policy.attemptsMax));
  const [initial, setInitial] = useState(`${policy.initialMs}ms`);
  const [max, setMax] = useState(`${policy.maxMs}ms`);
  const change = { attempts: Number(attempts), initial, max };
  return (
    <tr class="edit">
      <td colSpan={7}>
        <div class="filters">
          <Field label="Attempts" value={attempts} numeric onType={setAttempts} />
          <Field label="First wait" value={initial} onType={setInitial} />
          <Field label="Longest wait" value={max} onType={setMax} />
          <ActButton act="policy" fields={{ stage, kind, change }}>
            See what changes…
          </ActButton>
        </div>
        <p class="faint">A wait is a number and a unit: 500ms, 2s, 5m, 1h.</p>
      </td>
    </tr>
  );
}
