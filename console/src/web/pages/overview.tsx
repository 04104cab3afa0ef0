import { type Page, usePage } from "../ask.ts";
import { type Levels, levels as liveLevels, type StageLevel } from "../live.ts";
import { ActButton } from "../parts/act-button.tsx";
import { DayChart } from "../parts/day-chart.tsx";
import { markOf, Picture } from "../parts/picture.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Ahead, Clock, Count, count, duration, Moment, Plain, Results } from "../parts/text.tsx";
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
      {levels.collections.every((one) => one.documents === 0) ? (
        <p class="lede">
          Nothing was brought in yet. <Link href="/sources">Sources</Link> take archives and PDFs;{" "}
          <code>headway accept</code> takes documents of any kind.
        </p>
      ) : (
        <p class="lede">{sentenceOf(levels)}</p>
      )}
      {levels.outages.map((one) => (
        <p key={one.name} class="note warn">
          <strong>{one.name}</strong> is down since <Clock at={one.since} />: its documents are held and lose
          no attempt. Next probe <Ahead at={one.probeAt} />. <Link href="/outages">About the outage</Link>
        </p>
      ))}
      <Needs needs={data.needs} />
      <Picture graph={data.graph} levels={levels} />
      <Figures levels={levels} />
      <Stages levels={levels} graph={data.graph} />
      <DayChart />
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
  const [counted] = stages.map((one) => one.countedAt).sort();
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
        <dd>{pace(perSecond)}</dd>
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
          {counted !== undefined && (
            <small>
              {" "}
              counted <Clock at={counted} />
            </small>
          )}
        </dd>
      </div>
    </dl>
  );
}

interface StagesProps {
  readonly levels: Levels;
  readonly graph: Page<"overview">["graph"];
}

/** Stages of the running pipelines, and others that have had documents. */
function Stages({ levels, graph }: StagesProps) {
  const drawn = new Set(graph.nodes.flatMap((one) => (one.kind === "stage" ? [one.name] : [])));
  const rows = levels.stages.filter(({ stage, accepted }) => drawn.has(stage) || accepted > 0);
  if (levels.stages.length === 0)
    return (
      <Empty>
        No stage is known yet: <code>headway up</code> registers the stages of a pipeline.
      </Empty>
    );
  return <Table label="Stages" rows={rows} columns={columns} keyOf={({ stage }) => stage} />;
}

/** A number that leads to its documents. */
function Listed({
  line,
  state,
  of,
}: {
  readonly line: StageLevel;
  readonly state: string;
  readonly of: number;
}) {
  if (of === 0) return <>0</>;
  const { collection, stage } = line;
  return (
    <Link href={address("/documents", { collection, stage, state })}>
      <Count of={of} />
    </Link>
  );
}

function Dead({ line: { stage, dead, closed } }: { readonly line: StageLevel }) {
  if (dead === 0) return <>0</>;
  return (
    <Link href={address("/dead", { stage, state: dead > closed ? "" : "all" })}>
      <Count of={dead} />
    </Link>
  );
}

const pace = (perSecond: number): string =>
  perSecond >= 10 ? String(Math.round(perSecond)) : perSecond.toFixed(1);

const columns: readonly Column<StageLevel>[] = [
  { title: "Stage", cell: ({ stage }) => <Link href={`/stages/${encodeURIComponent(stage)}`}>{stage}</Link> },
  {
    title: "Waiting",
    number: true,
    cell: (line) => <Listed line={line} state="waiting" of={line.waiting} />,
  },
  { title: "Later", number: true, cell: ({ later }) => <Count of={later} /> },
  {
    title: "Claimed",
    number: true,
    cell: (line) => <Listed line={line} state="claimed" of={line.claimed} />,
  },
  { title: "Done", number: true, cell: (line) => <Results line={line} /> },
  { title: "Dead", number: true, cell: (line) => <Dead line={line} /> },
  { title: "Per second", number: true, cell: ({ perSecond }) => pace(perSecond) },
  { title: "Oldest", cell: ({ oldest }) => <Moment at={oldest} /> },
  {
    title: "State",
    cell: (line) =>
      markOf(line) ??
      (line.etaSeconds !== null ? `done in about ${duration(line.etaSeconds * 1_000)}` : "quiet"),
  },
  {
    title: "Act",
    cell: ({ stage, paused }) => (
      <ActButton
        act={paused ? "resume" : "pause"}
        fields={{ stage }}
        label={`${paused ? "Resume" : "Pause"} ${stage}`}
      >
        {paused ? "Resume" : "Pause"}
      </ActButton>
    ),
  },
];

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
