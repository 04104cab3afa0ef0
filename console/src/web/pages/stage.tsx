import { type Page, usePage } from "../ask.ts";
import { ActButton } from "../parts/act-button.tsx";
import { Count, duration, Moment, Name } from "../parts/text.tsx";
import { WholePage } from "../parts/whole-page.tsx";
import { address, Link } from "../route.tsx";
import { Groups } from "./dead.tsx";

/** One stage: levels, code, policies, workers, causes of death. */
export function StagePage({ name }: { readonly name: string }) {
  const asked = usePage("stage", { name });
  const paused = asked.kind === "here" && asked.data.line.paused !== null;
  return (
    <WholePage
      title={name}
      asked={asked}
      acts={
        <>
          <ActButton act={paused ? "resume" : "pause"} fields={{ stage: name }}>
            {paused ? "Resume" : "Pause"}
          </ActButton>
          <ActButton act="reprocess" fields={{ filter: { stage: name, stale: true } }}>
            Reprocess stale…
          </ActButton>
        </>
      }
    >
      {(data) => <Stage data={data} />}
    </WholePage>
  );
}

function Stage({ data }: { readonly data: Page<"stage"> }) {
  const { line, declared, policies, workers, groups } = data;
  const { stage, collection } = line;
  const state = line.paused
    ? `Paused by ${line.paused.by}${line.paused.reason ? `: ${line.paused.reason}` : ""}.`
    : line.shut !== null
      ? `Held: ${line.shut} is down.`
      : line.etaSeconds !== null
        ? `At the speed of the last minute it is done in about ${duration(line.etaSeconds * 1_000)}.`
        : line.waiting + line.later + line.claimed > 0
          ? "Nothing was finished in the last minute: too early to say when it is done."
          : "Nothing is open.";
  return (
    <>
      <p class="lede">{state}</p>
      <dl class="figures">
        {(["waiting", "later", "claimed", "done", "dead", "deleted", "accepted"] as const).map((name) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Link
                href={
                  name === "dead"
                    ? address("/dead", { stage })
                    : address("/documents", {
                        collection,
                        stage,
                        state: name === "accepted" || name === "deleted" || name === "later" ? "" : name,
                      })
                }
              >
                <Count of={line[name]} />
              </Link>
            </dd>
          </div>
        ))}
        <div>
          <dt>Ledger</dt>
          <dd class={line.balanced ? "good" : "bad"}>
            {line.balanced ? "✓ balances" : "✕ does not balance"}
          </dd>
        </div>
      </dl>
      <p class="faint">
        reads {collection}
        {declared && (
          <>
            {" "}
            · writes {declared.writes.join(", ") || "nothing"} · version {declared.version}
            {declared.model !== "" && `, model ${declared.model}`}
            {declared.needs.length > 0 && ` · needs ${declared.needs.join(", ")}`}
            {declared.isolated && " · isolated"}
          </>
        )}
        {line.oldest !== null && (
          <>
            {" "}
            · oldest open task <Moment at={line.oldest} />
          </>
        )}
      </p>
      {groups.length > 0 && (
        <section>
          <h2>What died, and of what</h2>
          <Groups groups={groups} />
        </section>
      )}
      <Policies policies={policies} />
      <h2>Workers</h2>
      {workers.length === 0 ? (
        <p class="note warn">
          No worker has code for this stage: start <code>headway up</code> or <code>headway work</code>.
        </p>
      ) : (
        <ul class="plain-list">
          {workers.map((one) => (
            <li key={one.id} data-row>
              <Link href="/workers">
                <Name text={`${one.name} on ${one.host}`} />
              </Link>{" "}
              heartbeat <Moment at={one.heartbeatAt} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Policies({ policies }: { readonly policies: Page<"stage">["policies"] }) {
  return (
    <section>
      <h2>Retry policies in force</h2>
      <ul class="plain-list">
        {policies
          .filter((one) => one.kind !== "permanent")
          .map((one) => (
            <li key={one.kind}>
              <strong>{one.kind}</strong>: {one.policy.attemptsMax} attempts, {duration(one.policy.initialMs)}{" "}
              to {duration(one.policy.maxMs)} apart <span class="faint">({one.from})</span>
            </li>
          ))}
      </ul>
      <p>
        <Link href="/policies">All policies and their history</Link>
      </p>
    </section>
  );
}
