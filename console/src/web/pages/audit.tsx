import { type Page, usePage } from "../ask.ts";
import { ActButton } from "../parts/act-button.tsx";
import { NextPage } from "../parts/filters.tsx";
import { Block } from "../parts/scroll.tsx";
import { Clock, count, Moment, Name, Plain } from "../parts/text.tsx";
import { Empty, WholePage } from "../parts/whole-page.tsx";
import { address, Link, useAddress } from "../route.tsx";

/** Acts of people: who, what, when, why. */
export function AuditPage() {
  const { query } = useAddress();
  const asked = usePage("audit", Object.fromEntries(query));
  return (
    <WholePage title="Audit" asked={asked} lede="Every act of a person is kept for ever, with its reason.">
      {(data) => (
        <>
          {query.size > 0 && (
            <p>
              <Link href="/audit">Show all acts</Link>
            </p>
          )}
          {data.rows.length === 0 && <Empty>Nobody has done anything here yet.</Empty>}
          <ol class="time-line">
            {data.rows.map((one) => (
              <li key={one.id} data-row>
                <Clock at={one.at} />
                <Link href={address("/audit", { actor: one.actor })}>
                  <Name text={one.actor} />
                </Link>
                <div class="what">
                  <Link href={`/acts/${one.id}`}>{one.act}</Link> <Name text={one.target} />
                  {one.why !== null && (
                    <p class="said">
                      <Plain text={one.why} />
                    </p>
                  )}
                </div>
              </li>
            ))}
          </ol>
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
  readonly batch?: readonly unknown[];
}

const states = {
  running: "It goes on by itself: the next step follows when the last has ended well.",
  finished: "It is finished.",
  stopped: "It has stopped: the same fault came back. What is left is still dead.",
} as const;

/** One act; a ramp with its steps. The address survives a reload and a restart. */
export function ActPage({ id }: { readonly id: string }) {
  const asked = usePage("acts", { id });
  return (
    <WholePage title={`Act ${id}`} asked={asked}>
      {({ act, steps, state, requeued }) => (
        <>
          <p class="lede">
            <Plain text={act.actor} />: {act.act} <Plain text={act.target.slice(0, 300)} />{" "}
            <Moment at={act.at} />
          </p>
          {act.why !== null && (
            <p class="said">
              <Plain text={act.why} />
            </p>
          )}
          {state !== null && (
            <>
              <p
                class={`note ${state === "stopped" ? "bad" : state === "finished" ? "good" : ""}`}
                role="status"
              >
                {states[state as keyof typeof states]} {count(requeued ?? 0, "letter")} requeued so far.
              </p>
              <p class="buttons">
                {state === "running" && (
                  <ActButton act="continueRamp" fields={{ ramp: Number(id) }}>
                    Continue…
                  </ActButton>
                )}
                {state === "stopped" && (
                  <ActButton act="continueRamp" fields={{ ramp: Number(id), anyway: true }}>
                    Continue anyway…
                  </ActButton>
                )}
                <Link class="button" href="/dead">
                  What is dead now
                </Link>
              </p>
              <Steps steps={steps} />
            </>
          )}
          {state === null && (
            <Block label="Detail" text={JSON.stringify(act.detail, null, 2).slice(0, 4_000)} />
          )}
        </>
      )}
    </WholePage>
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
              {detail.stopped === undefined ? requeued : "stopped: the same fault came back"}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
