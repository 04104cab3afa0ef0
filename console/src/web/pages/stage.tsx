import { type Page, usePage } from "../ask.ts";
import { ActButton } from "../parts/act-button.tsx";
import { DayChart } from "../parts/day-chart.tsx";
import { Notes } from "../parts/notes.tsx";
import { Count, count, duration, Moment, Name, Plain, Results } from "../parts/text.tsx";
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
          <ActButton act="note" fields={{ about: { kind: "stage", name } }}>
            Add note…
          </ActButton>
        </>
      }
    >
      {(data) => <Stage data={data} />}
    </WholePage>
  );
}

type Line = Page<"stage">["line"];

function sentenceOf(line: Line): string {
  if (line.paused)
    return `Paused by ${line.paused.by}${line.paused.reason ? `: ${line.paused.reason}` : ""}.`;
  if (line.shut !== null) return `Held: ${line.shut} is down.`;
  if (line.etaSeconds !== null)
    return `At the speed of the last minute it is done in about ${duration(line.etaSeconds * 1_000)}.`;
  const open = line.waiting + line.later + line.claimed;
  return open > 0
    ? "Nothing was finished in the last minute: too early to say when it is done."
    : "Nothing is open.";
}

function Stage({ data }: { readonly data: Page<"stage"> }) {
  const { line, policies, workers, groups } = data;
  return (
    <>
      <p class="lede">
        <Plain text={sentenceOf(line)} />
      </p>
      <Notes notes={data.notes} />
      <Figures line={line} />
      <About data={data} />
      <DayChart stage={line.stage} />
      {groups.length > 0 && (
        <section>
          <h2>What died, and of what</h2>
          <Groups groups={groups} />
        </section>
      )}
      <Policies policies={policies} />
      <h2>Workers</h2>
      {workers.length === 0 && (
        <p class="note warn">
          No worker has code for this stage: start <code>headway up</code> or <code>headway work</code>.
        </p>
      )}
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
    </>
  );
}

const figures = ["waiting", "later", "claimed", "done", "dead", "deleted", "accepted"] as const;
const listed: readonly string[] = ["waiting", "claimed", "done"];

function Figures({ line }: { readonly line: Line }) {
  const { stage, collection, balanced } = line;
  const hrefOf = (name: string) =>
    name === "dead"
      ? address("/dead", { stage })
      : address("/documents", { collection, stage, state: listed.includes(name) ? name : "" });
  return (
    <dl class="figures">
      {figures.map((name) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Link href={hrefOf(name)}>
              {name === "done" ? <Results line={line} /> : <Count of={line[name]} />}
            </Link>
          </dd>
        </div>
      ))}
      <div>
        <dt>Ledger</dt>
        <dd class={balanced ? "good" : "bad"}>{balanced ? "✓ balances" : "✕ does not balance"}</dd>
      </div>
    </dl>
  );
}

/** Declarations of the code. */
function About({ data: { line, declared } }: { readonly data: Page<"stage"> }) {
  const facts = declared
    ? [
        `writes ${declared.writes.join(", ") || "nothing"}`,
        `version ${declared.version}${declared.model === "" ? "" : `, model ${declared.model}`}`,
        ...(declared.needs.length > 0 ? [`needs ${declared.needs.join(", ")}`] : []),
        ...(declared.isolated ? ["isolated"] : []),
      ]
    : [];
  return (
    <p class="faint">
      {[`reads ${line.collection}`, ...facts].join(" · ")}
      {line.oldest !== null && (
        <>
          {" "}
          · oldest open task <Moment at={line.oldest} />
        </>
      )}
    </p>
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
              <strong>{one.kind}</strong>: {count(one.policy.attemptsMax, "attempt")},{" "}
              {duration(one.policy.initialMs)} to {duration(one.policy.maxMs)} apart{" "}
              <span class="faint">({one.from})</span>
            </li>
          ))}
      </ul>
      <p>
        <Link href="/policies">All policies and their history</Link>
      </p>
    </section>
  );
}
