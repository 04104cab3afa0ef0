import { type Page, usePage } from "../ask.ts";
import { type Levels, levels as liveLevels, type StageLevel } from "../live.ts";
import { ActButton } from "../parts/act-button.tsx";
import { markOf, Picture } from "../parts/picture.tsx";
import { Scroll } from "../parts/scroll.tsx";
import { Count, count, duration, Moment, Plain } from "../parts/text.tsx";
import { Empty, WholePage } from "../parts/whole-page.tsx";
import { address, Link } from "../route.tsx";
import { useStore } from "../store.ts";

/** The live picture of all pipelines. */
export function OverviewPage() {
  const asked = usePage("overview");
  const live = useStore(liveLevels);
  return (
    <WholePage title="Pipeline" asked={asked}>
      {(data) => <Overview data={data} levels={live ?? data.levels} />}
    </WholePage>
  );
}

function Overview({ data, levels }: { readonly data: Page<"overview">; readonly levels: Levels }) {
  return (
    <>
      <p class="lede">{sentenceOf(levels)}</p>
      {levels.outages.map((one) => (
        <p key={one.name} class="note warn">
          <strong>{one.name}</strong> is down <Moment at={one.since} />: its documents are held and lose no
          attempt. Next probe <Moment at={one.probeAt} />. <Link href="/outages">About the outage</Link>
        </p>
      ))}
      <Picture graph={data.graph} levels={levels} />
      <Figures levels={levels} />
      <Stages levels={levels} />
      <Needs needs={data.needs} />
    </>
  );
}

const sum = (lines: readonly StageLevel[], of: (line: StageLevel) => number): number =>
  lines.reduce((total, line) => total + of(line), 0);

/** The whole state in one sentence. */
function sentenceOf({ stages, workers }: Levels): string {
  const open = sum(stages, (one) => one.waiting + one.later + one.claimed);
  const dead = sum(stages, (one) => one.dead - one.closed);
  const alive = workers.filter((one) => one.alive).length;
  const work =
    open === 0
      ? "Everything that can be done is done"
      : `${count(open, "task")} ${open === 1 ? "is" : "are"} open`;
  const hands = open > 0 && alive === 0 ? ", and no worker is there to take them" : "";
  const letters =
    dead === 0
      ? "Nothing needs a person."
      : `${count(dead, "dead letter")} ${dead === 1 ? "needs" : "need"} a person.`;
  return `${work}${hands}. ${letters}`;
}

function Figures({ levels }: { readonly levels: Levels }) {
  const { stages, workers, collections } = levels;
  const unbalanced = stages.filter((one) => !one.balanced);
  const perSecond = sum(stages, (one) => one.perSecond);
  return (
    <dl class="figures">
      <div>
        <dt>Documents</dt>
        <dd>
          <Count of={collections.reduce((total, one) => total + one.documents, 0)} />
        </dd>
      </div>
      <div>
        <dt>Open tasks</dt>
        <dd>
          <Count of={sum(stages, (one) => one.waiting + one.later + one.claimed)} />
        </dd>
      </div>
      <div>
        <dt>Results per second</dt>
        <dd>{perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(1)}</dd>
      </div>
      <div>
        <dt>Workers alive</dt>
        <dd>
          <Link href="/workers">
            {workers.filter((one) => one.alive).length} of {workers.length}
          </Link>
        </dd>
      </div>
      <div>
        <dt>Ledger</dt>
        <dd class={unbalanced.length === 0 ? "good" : "bad"}>
          {unbalanced.length === 0 ? "✓ balances" : `✕ ${unbalanced.map((one) => one.stage).join(", ")}`}
        </dd>
      </div>
    </dl>
  );
}

function Stages({ levels }: { readonly levels: Levels }) {
  if (levels.stages.length === 0)
    return (
      <Empty>
        No stage is known yet: <code>headway up</code> registers the stages of a pipeline.
      </Empty>
    );
  return (
    <Scroll label="Stages">
      <table class="cards">
        <thead>
          <tr>
            <th scope="col">Stage</th>
            <th scope="col" class="number">
              Waiting
            </th>
            <th scope="col" class="number">
              Later
            </th>
            <th scope="col" class="number">
              Claimed
            </th>
            <th scope="col" class="number">
              Done
            </th>
            <th scope="col" class="number">
              Dead
            </th>
            <th scope="col" class="number">
              Per second
            </th>
            <th scope="col">Oldest</th>
            <th scope="col">State</th>
            <th scope="col">Act</th>
          </tr>
        </thead>
        <tbody>
          {levels.stages.map((line) => (
            <StageRow key={line.stage} line={line} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function StageRow({ line }: { readonly line: StageLevel }) {
  const { stage, collection } = line;
  const listed = (state: string) => address("/documents", { collection, stage, state });
  return (
    <tr data-row>
      <th scope="row">
        <Link href={`/stages/${encodeURIComponent(stage)}`}>{stage}</Link>
      </th>
      <td class="number" data-label="Waiting">
        {line.waiting > 0 ? (
          <Link href={listed("waiting")}>
            <Count of={line.waiting} />
          </Link>
        ) : (
          0
        )}
      </td>
      <td class="number" data-label="Later">
        <Count of={line.later} />
      </td>
      <td class="number" data-label="Claimed">
        {line.claimed > 0 ? (
          <Link href={listed("claimed")}>
            <Count of={line.claimed} />
          </Link>
        ) : (
          0
        )}
      </td>
      <td class="number" data-label="Done">
        <Count of={line.done} />
      </td>
      <td class={`number ${line.dead - line.closed > 0 ? "bad" : ""}`} data-label="Dead">
        {line.dead > 0 ? (
          <Link href={address("/dead", { stage, state: line.dead > line.closed ? "" : "all" })}>
            <Count of={line.dead} />
          </Link>
        ) : (
          0
        )}
      </td>
      <td class="number" data-label="Per second">
        {line.perSecond >= 10 ? Math.round(line.perSecond) : line.perSecond.toFixed(1)}
      </td>
      <td data-label="Oldest">
        <Moment at={line.oldest} />
      </td>
      <td data-label="State">
        {markOf(line) ??
          (line.etaSeconds !== null ? `done in about ${duration(line.etaSeconds * 1_000)}` : "quiet")}
      </td>
      <td data-label="Act">
        <ActButton
          act={line.paused ? "resume" : "pause"}
          fields={{ stage }}
          label={`${line.paused ? "Resume" : "Pause"} ${stage}`}
        >
          {line.paused ? "Resume" : "Pause"}
        </ActButton>
      </td>
    </tr>
  );
}

function Needs({ needs }: { readonly needs: Page<"overview">["needs"] }) {
  if (needs.groups.length === 0 && needs.conflicts === 0 && needs.quarantined === 0) return null;
  return (
    <section>
      <h2>Needs a person</h2>
      <ul class="plain-list">
        {needs.groups.map((one) => (
          <li key={`${one.stage} ${one.fingerprint}`} data-row>
            <Link href={address("/dead", { stage: one.stage, fingerprint: one.fingerprint })}>
              {count(one.letters, "dead letter")} of {one.stage}
            </Link>{" "}
            <code>{one.code}</code> <Plain text={one.message.slice(0, 160)} />{" "}
            <span class="faint">
              last <Moment at={one.last_at} />
            </span>
          </li>
        ))}
        {needs.conflicts > 0 && (
          <li data-row>
            <Link href="/conflicts">{count(needs.conflicts, "conflict")}</Link> of two origins with one id
          </li>
        )}
        {needs.quarantined > 0 && (
          <li data-row>
            <Link href="/quarantine">{count(needs.quarantined, "delivery", "deliveries")}</Link> in quarantine
          </li>
        )}
      </ul>
    </section>
  );
}
