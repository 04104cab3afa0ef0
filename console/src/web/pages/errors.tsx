import { useState } from "preact/hooks";
import { type Page, usePage } from "../ask.ts";
import { ActButton } from "../parts/act-button.tsx";
import { Choice, Field, NextPage } from "../parts/filters.tsx";
import { Block } from "../parts/scroll.tsx";
import { Facts } from "../parts/table.tsx";
import { Clock, Count, count, Moment, Name, Plain } from "../parts/text.tsx";
import { Empty, WholePage } from "../parts/whole-page.tsx";
import { address, Link, useAddress } from "../route.tsx";

type Group = Page<"error">["group"];

/** Errors by cause: of other services, and of the stages. */
export function ErrorsPage() {
  const { query, set } = useAddress();
  const asked = usePage("errors", Object.fromEntries(query));
  const state = query.get("state") ?? "open";
  return (
    <WholePage
      title="Errors"
      asked={asked}
      lede="Errors that other services report, and faults of the stages, by cause."
    >
      {({ groups, cut, stages }) => (
        <>
          <form class="filters" onSubmit={(event) => event.preventDefault()}>
            <Choice
              label="Errors"
              value={state}
              options={["open", "resolved", "muted", "all"]}
              onChoose={(value) => set("state", value === "open" ? "" : value)}
            />
          </form>
          <h2>Reported by services</h2>
          {groups.length === 0 && (
            <Empty>
              {state === "open" ? "No reported error is open." : "There is none."} Services report to{" "}
              <code>POST /api/errors</code>.
            </Empty>
          )}
          <ol class="groups">
            {groups.map((one) => (
              <GroupLine key={one.fingerprint} one={one} />
            ))}
          </ol>
          {cut && <p class="faint">The newest {groups.length}; resolve or mute some to see the others.</p>}
          <OfStages stages={stages} />
        </>
      )}
    </WholePage>
  );
}

/** Faults of the stages by cause. */
function OfStages({ stages }: { readonly stages: Page<"errors">["stages"] }) {
  return (
    <>
      <h2>Of the stages</h2>
      {stages.length === 0 && <Empty>No document has died of a fault.</Empty>}
      <ol class="groups">
        {stages.map((one) => (
          <li key={`${one.stage} ${one.fingerprint}`} data-row>
            <span class="many">
              <Count of={one.letters} />
            </span>
            <div>
              <p>
                <Link href={address("/dead", { stage: one.stage, fingerprint: one.fingerprint })}>
                  {one.stage} <code>{one.code}</code>
                </Link>
              </p>
              <p class="said">
                <Plain text={one.message.slice(0, 300)} />
              </p>
              <p class="faint">
                first <Moment at={one.first_at} /> · last <Moment at={one.last_at} />
              </p>
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}

const errorAddress = (fingerprint: string): string => `/errors/${encodeURIComponent(fingerprint)}`;

function GroupLine({ one }: { readonly one: Group }) {
  const { fingerprint, errorType } = one;
  return (
    <li data-row>
      <span class="many">
        <Count of={one.count} />
      </span>
      <div>
        <p>
          <Link href={errorAddress(fingerprint)}>
            <Name text={one.service} /> <code>{errorType.slice(0, 100)}</code>
          </Link>{" "}
          <span class={`state ${["error", "critical"].includes(one.level) ? "dead" : "waiting"}`}>
            <span aria-hidden="true">▲</span> {one.level}
          </span>
        </p>
        <p class="said">
          <Plain text={one.title} />
        </p>
        <p class="faint">
          {one.state} · first <Moment at={one.firstAt} /> · last <Moment at={one.lastAt} />
          {one.lastRelease !== null && (
            <>
              {" "}
              · release <Name text={one.lastRelease} />
            </>
          )}
          {one.regressions > 0 && ` · came back ${count(one.regressions, "time")}`}
        </p>
      </div>
      <ActButton
        act="errorGroup"
        fields={{ fingerprint, state: one.state === "open" ? "resolved" : "open" }}
        label={`${one.state === "open" ? "Resolve" : "Open"} ${errorType} of ${one.service}`}
      >
        {one.state === "open" ? "Resolve…" : "Open again…"}
      </ActButton>
    </li>
  );
}

/** One cause of errors, with its newest events. */
export function ErrorPage({ fingerprint }: { readonly fingerprint: string }) {
  const { query } = useAddress();
  const after = query.get("after") ?? "";
  const asked = usePage("error", { fingerprint, after });
  const state = asked.kind === "here" ? asked.data.group.state : null;
  return (
    <WholePage
      title={asked.kind === "here" ? asked.data.group.errorType.slice(0, 100) : "Error"}
      asked={asked}
      acts={
        state !== null && (
          <>
            {state !== "muted" && (
              <ActButton act="errorGroup" fields={{ fingerprint, state: "muted" }}>
                Mute…
              </ActButton>
            )}
            {state !== "open" && (
              <ActButton act="errorGroup" fields={{ fingerprint, state: "open" }}>
                Open again…
              </ActButton>
            )}
          </>
        )
      }
    >
      {({ group, events, next }) => (
        <>
          <p class="lede">
            <Plain text={group.title} />
          </p>
          <Facts of={factsOf(group)} />
          {group.state === "open" && <Resolve group={group} />}
          <h2>Newest events</h2>
          <ol class="time-line">
            {events.map((one) => (
              <Event key={one.id} one={one} />
            ))}
          </ol>
          <NextPage more={next !== null} after={next ?? undefined} />
        </>
      )}
    </WholePage>
  );
}

function factsOf(group: Group) {
  return [
    ["Service", <Name key="service" text={group.service} />],
    ["State", group.resolvedIn === null ? group.state : `${group.state} in ${group.resolvedIn}`],
    ["Happened", count(group.count, "time")],
    ["First", <Moment key="first" at={group.firstAt} />],
    ["Last", <Moment key="last" at={group.lastAt} />],
    ["Releases", releasesOf(group)],
    ["Came back", count(group.regressions, "time")],
  ] as const;
}

const releasesOf = ({ firstRelease: first, lastRelease: last }: Group): string =>
  first === null && last === null
    ? "not told"
    : first === last
      ? (last as string)
      : `${first ?? "unknown"} to ${last ?? "unknown"}`;

function Resolve({ group: { fingerprint, lastRelease } }: { readonly group: Group }) {
  const [release, setRelease] = useState("");
  return (
    <div class="filters">
      <Field
        label={`Fixed in release (last seen in ${lastRelease ?? "none"})`}
        value={release}
        onType={setRelease}
      />
      <ActButton act="errorGroup" fields={{ fingerprint, state: "resolved", release }}>
        Resolve…
      </ActButton>
    </div>
  );
}

function Event({ one }: { readonly one: Page<"error">["events"][number] }) {
  return (
    <li data-row>
      <Clock at={one.at} />
      <span>{one.level}</span>
      <div class="what">
        <Plain text={one.message.slice(0, 500)} />
        {one.correlation_id !== null && (
          <p class="faint">
            <code>
              <Plain text={one.correlation_id} />
            </code>
          </p>
        )}
        {one.stack !== null && (
          <details>
            <summary>Stack</summary>
            <Block label={`Stack of event ${one.id}`} text={one.stack} />
          </details>
        )}
        {one.context !== "{}" && (
          <details>
            <summary>Context</summary>
            <Block label={`Context of event ${one.id}`} text={one.context} />
          </details>
        )}
      </div>
    </li>
  );
}
