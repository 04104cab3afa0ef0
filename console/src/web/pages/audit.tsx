import { type Page, usePage } from "../ask.ts";
import { ActButton } from "../parts/act-button.tsx";
import { NextPage, Words } from "../parts/filters.tsx";
import { History } from "../parts/history.tsx";
import { Block } from "../parts/scroll.tsx";
import { Facts } from "../parts/table.tsx";
import { Clock, count, Moment, Name, Plain } from "../parts/text.tsx";
import { WholePage } from "../parts/whole-page.tsx";
import { address, Link, useAddress } from "../route.tsx";

/** Acts of people: who, what, when, why. */
export function AuditPage() {
  const { query } = useAddress();
  const asked = usePage("audit", Object.fromEntries(query));
  return (
    <WholePage title="Audit" asked={asked} lede="Every act of a person is kept for ever, with its reason.">
      {(data) => (
        <>
          <form class="filters" onSubmit={(event) => event.preventDefault()}>
            <Words label="Person" name="actor" />
            <Words label="Act" name="act" />
            {query.size > 0 && <Link href="/audit">Show all acts</Link>}
            <a class="button" href="/api/console/export?what=audit" download>
              Export
            </a>
          </form>
          <History
            empty="Nobody has done anything here yet."
            changes={data.rows.map((one) => ({
              at: one.at,
              by: (
                <Link href={address("/audit", { actor: one.actor })}>
                  <Name text={one.actor} />
                </Link>
              ),
              what: (
                <>
                  <Link href={`/acts/${one.id}`}>{one.act}</Link> <Name text={one.target} />
                </>
              ),
              why: one.why,
            }))}
          />
          <NextPage more={data.more} after={data.rows.at(-1)?.id} />
        </>
      )}
    </WholePage>
  );
}

interface RampDetail {
  readonly step?: number;
  readonly requeued?: number;
  readonly stopped?: string;
  readonly halted?: string;
  readonly batch?: readonly unknown[];
}

const states = {
  running: "It goes on by itself: the next step follows when the last has ended well.",
  finished: "It is finished.",
  stopped: "It has stopped: the same fault came back. What is left is still dead.",
  halted: "A person has stopped it. What is left is still dead.",
} as const;

/** One act; a ramp with its steps. The address survives a reload and a restart. */
export function ActPage({ id }: { readonly id: string }) {
  const asked = usePage("acts", { id });
  return (
    <WholePage title={`Act ${id}`} asked={asked}>
      {(data) => {
        const { act, state } = data;
        return (
          <>
            {state !== null && <Ramp id={Number(id)} data={data} />}
            <Facts
              of={[
                ["Act", <code key="act">{act.act}</code>],
                ["On", <Plain key="on" text={act.target.slice(0, 300)} />],
                [
                  "By",
                  <Link key="by" href={address("/audit", { actor: act.actor })}>
                    <Name text={act.actor} />
                  </Link>,
                ],
                [
                  "At",
                  <span key="at">
                    <Clock at={act.at} />, <Moment at={act.at} />
                  </span>,
                ],
                ["Because", act.why === null ? "no reason was given" : <Plain key="why" text={act.why} />],
              ]}
            />
            {state === null && Object.keys(act.detail).length > 0 && (
              <>
                <h2>Detail</h2>
                <Block label="Detail" text={JSON.stringify(act.detail, null, 2).slice(0, 4_000)} />
              </>
            )}
          </>
        );
      }}
    </WholePage>
  );
}

/** Progress and steps of a ramp, and new deaths. */
function Ramp({ id, data }: { readonly id: number; readonly data: Page<"acts"> }) {
  const { steps, state, requeued, left, again } = data;
  const done = requeued ?? 0;
  const kind = state === "stopped" ? "bad" : state === "finished" ? "good" : "";
  return (
    <>
      <p class={`note ${kind}`} role="status">
        {states[state as keyof typeof states]} {count(done, "letter")} requeued so far, {left} left.
      </p>
      <progress class="progress" max={Math.max(1, done + left)} value={done} aria-label="Letters requeued" />
      <p class="buttons">
        {state === "running" && (
          <ActButton act="stopRamp" fields={{ ramp: id }}>
            Stop…
          </ActButton>
        )}
        {state === "running" && (
          <ActButton act="continueRamp" fields={{ ramp: id }}>
            Continue…
          </ActButton>
        )}
        {(state === "stopped" || state === "halted") && (
          <ActButton act="continueRamp" fields={{ ramp: id, anyway: true }}>
            Continue anyway…
          </ActButton>
        )}
        <Link class="button" href="/dead">
          What is dead now
        </Link>
      </p>
      <Steps steps={steps} />
      {again.length > 0 && (
        <>
          <h2>Died since</h2>
          <ul class="plain-list">
            {again.map((one) => (
              <li key={one.id} data-row>
                <Link href={`/dead/${one.id}`}>#{one.id}</Link> {one.stage} <code>{one.code}</code>{" "}
                <Name text={one.document} /> <Moment at={one.died_at} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function Steps({ steps }: { readonly steps: Page<"acts">["steps"] }) {
  return (
    <ol class="time-line">
      {steps.map((one) => {
        const detail = one.detail as RampDetail;
        const requeued = `${count(detail.batch?.length ?? 0, "letter")} requeued`;
        return (
          <li key={one.id}>
            <Clock at={one.at} />
            <span>step {detail.step}</span>
            <span class="what">
              {detail.halted !== undefined
                ? "stopped by a person"
                : detail.stopped === undefined
                  ? requeued
                  : "stopped: the same fault came back"}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
