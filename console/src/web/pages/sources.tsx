import { type Page, usePage } from "../ask.ts";
import { ActButton } from "../parts/act-button.tsx";
import { History } from "../parts/history.tsx";
import { type Column, Facts, Table } from "../parts/table.tsx";
import { Ahead, Clock, Count, count, duration, Moment, Name, Plain, State, size } from "../parts/text.tsx";
import { Upload } from "../parts/upload.tsx";
import { me } from "../parts/who.ts";
import { Empty, WholePage } from "../parts/whole-page.tsx";
import { documentAddress, Link } from "../route.tsx";
import { useStore } from "../store.ts";

type Scheduled = Page<"sources">["scheduled"][number];
type Run = NonNullable<Page<"source">["scheduled"]>["runs"][number];

const sourceAddress = (name: string): string => `/sources/${encodeURIComponent(name)}`;

/** Sources read on a schedule, origins of all documents, and a place to bring files. */
export function SourcesPage() {
  const asked = usePage("sources");
  const mayAct = useStore(me)?.role === "operator";
  return (
    <WholePage title="Sources" asked={asked} lede="Where documents came from, and where more are read.">
      {({ scheduled, sources, takesFiles, mayBeScheduled, countMax }) => (
        <>
          {takesFiles && mayAct && <Upload />}
          {mayBeScheduled && <h2>On a schedule</h2>}
          {mayBeScheduled && scheduled.length === 0 && (
            <Empty>
              No source is read by itself: <code>headway sources add NAME PLACE --every 1h</code> adds one.
            </Empty>
          )}
          {scheduled.length > 0 && (
            <Table
              label="On a schedule"
              rows={scheduled}
              columns={scheduledColumns}
              keyOf={({ name }) => name}
            />
          )}
          <h2>Brought so far</h2>
          {sources.length === 0 ? (
            <Empty>
              Nothing was brought in yet:{" "}
              {takesFiles ? <code>headway ingest PATH</code> : <code>headway accept</code>}.
            </Empty>
          ) : (
            <Table
              label="Brought so far"
              rows={sources}
              columns={broughtColumns(countMax)}
              keyOf={({ name }) => name}
            />
          )}
        </>
      )}
    </WholePage>
  );
}

const SourceLink = ({ name }: { readonly name: string }) => (
  <Link href={sourceAddress(name)}>
    <Name text={name} />
  </Link>
);

const broughtColumns = (countMax: number): readonly Column<Page<"sources">["sources"][number]>[] => [
  { title: "Source", cell: ({ name }) => <SourceLink name={name} /> },
  {
    title: "Documents",
    number: true,
    cell: ({ documents }) => <Bounded of={documents} max={countMax} />,
  },
  { title: "First seen", cell: ({ first_seen_at: at }) => <Moment at={at} /> },
];

const scheduledColumns: readonly Column<Scheduled>[] = [
  {
    title: "Source",
    cell: ({ name, kind, place }) => (
      <>
        <SourceLink name={name} />
        <div class="faint">
          {kind} <Name text={place} />
        </div>
      </>
    ),
  },
  { title: "Schedule", cell: ({ schedule }) => <Plain text={schedule} /> },
  { title: "Standing", cell: (line) => <Standing of={line} /> },
  { title: "Last run", cell: ({ last }) => <LastRun run={last} /> },
  {
    title: "Next run",
    cell: ({ nextAt, paused }) => (paused ? "–" : nextAt === null ? "when asked for" : <Ahead at={nextAt} />),
  },
  { title: "Act", cell: (line) => <Steer of={line} /> },
];

/** State of a source as mark and word. */
function Standing({ of: { paused, hostDown, last } }: { readonly of: Scheduled }) {
  if (paused) return <span class="state waiting">⏸ paused</span>;
  if (hostDown) return <span class="state dead">▲ host down</span>;
  if (last === null) return <>not run yet</>;
  if (last.state === "dead") return <span class="state dead">✕ {last.fault?.code ?? "failed"}</span>;
  if (last.state === "done") return <span class="state done">✓ read</span>;
  if (last.fault) return <span class="state waiting">▲ tries again: {last.fault.code}</span>;
  return <span class="state claimed">▸ reads</span>;
}

const LastRun = ({ run }: { readonly run: Scheduled["last"] }) =>
  run === null ? (
    <>–</>
  ) : (
    <>
      <Moment at={run.result?.endedAt ?? run.due} />
      {run.result && <span class="faint"> {tellCounts(run.result)}</span>}
    </>
  );

type Result = NonNullable<Run["result"]>;

const tellCounts = ({ new: fresh, unchanged, refused, damaged }: Result): string =>
  [
    `${fresh} new`,
    `${unchanged} unchanged`,
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(damaged > 0 ? [`${damaged} skipped`] : []),
  ].join(", ");

const Steer = ({ of: { name, paused } }: { readonly of: Pick<Scheduled, "name" | "paused"> }) => (
  <span class="buttons">
    <ActButton act="readSource" fields={{ source: name }} label={`Read now: ${name}`}>
      Read now
    </ActButton>
    <ActButton
      act={paused ? "resumeSource" : "pauseSource"}
      fields={{ source: name }}
      label={`${paused ? "Resume" : "Pause"} ${name}`}
    >
      {paused ? "Resume" : "Pause"}
    </ActButton>
  </span>
);

/** Large sources are not counted to the end. */
const Bounded = ({ of, max }: { readonly of: number; readonly max: number }) => (
  <>
    {of >= max && "≥ "}
    <Count of={Math.min(of, max)} />
  </>
);

export function SourcePage({ name }: { readonly name: string }) {
  const asked = usePage("source", { name });
  const here = asked.kind === "here" ? asked.data : null;
  return (
    <WholePage
      title={name.slice(0, 200)}
      asked={asked}
      acts={
        <>
          {here?.scheduled && <Steer of={here.scheduled} />}
          {here?.source && (
            <ActButton act="deleteSource" fields={{ source: name }}>
              Delete documents…
            </ActButton>
          )}
        </>
      }
    >
      {(data) => (
        <>
          <Facts of={factsOf(data)} />
          {data.scheduled && <Runs runs={data.scheduled.runs} />}
          {data.acts.length > 0 && <h2>Acts of people</h2>}
          {data.acts.length > 0 && (
            <History
              empty=""
              changes={data.acts.map(({ id, at, actor, act, why }) => ({
                at,
                by: actor,
                what: <Link href={`/acts/${id}`}>{act}</Link>,
                why,
              }))}
            />
          )}
        </>
      )}
    </WholePage>
  );
}

function factsOf({ scheduled, source, countMax }: Page<"source">) {
  return [
    ...(scheduled ? scheduleFacts(scheduled) : []),
    ...(source
      ? ([
          ["Brought", <Bounded key="brought" of={source.documents} max={countMax} />],
          ["First seen", <Moment key="seen" at={source.first_seen_at} />],
        ] as const)
      : []),
  ];
}

function scheduleFacts(one: NonNullable<Page<"source">["scheduled"]>) {
  const { kind, place, schedule, nextAt, paused, hostDown, pipeline, list, hasSecret, origin, addedBy } = one;
  return [
    ["Standing", <Standing key="standing" of={one} />],
    ["Place", <Name key="place" text={`${kind} ${place}`} />],
    ["Schedule", <Plain key="schedule" text={schedule} />],
    ["Next run", nextAt === null ? "when asked for" : <Ahead key="next" at={nextAt} />],
    ...(paused
      ? ([
          [
            "Paused",
            <Plain key="paused" text={`by ${paused.by ?? "unknown"}: ${paused.why ?? "no reason"}`} />,
          ],
        ] as const)
      : []),
    ...(hostDown
      ? ([
          [
            "Host down",
            <span key="down">
              <Name text={hostDown.host} /> since <Clock at={hostDown.since} />, tried again{" "}
              <Ahead at={hostDown.probeAt} />; this costs no attempt
            </span>,
          ],
        ] as const)
      : []),
    ["Read by", `${pipeline}${list === null ? "" : `, list ${list}`}`],
    ["Secret", hasSecret ? "set" : "none"],
    ["Added", <Plain key="added" text={`by ${addedBy} (${origin})`} />],
  ] as const;
}

/** Runs of a source, the newest first; each opens to refused files with reasons. */
function Runs({ runs }: { readonly runs: readonly Run[] }) {
  return (
    <section>
      <h2>Runs</h2>
      {runs.length === 0 && <Empty>The source has not run yet.</Empty>}
      {runs.length > 0 && <Table label="Runs" rows={runs} columns={runColumns} keyOf={({ run }) => run} />}
    </section>
  );
}

const runColumns: readonly Column<Run>[] = [
  {
    title: "Run",
    cell: ({ run, document }) => {
      const slash = document.indexOf("/");
      return <Link href={documentAddress(document.slice(0, slash), document.slice(slash + 1))}>{run}</Link>;
    },
  },
  { title: "State", cell: ({ state }) => <State of={state} /> },
  { title: "Due", cell: ({ due, asked }) => <Due at={due} asked={asked} /> },
  { title: "Took", number: true, cell: ({ result }) => (result ? duration(tookMs(result)) : "–") },
  { title: "New", number: true, cell: ({ result }) => (result ? <Count of={result.new} /> : "–") },
  {
    title: "Unchanged",
    number: true,
    cell: ({ result }) => (result ? <Count of={result.unchanged} /> : "–"),
  },
  { title: "Refused", number: true, cell: ({ result }) => (result ? <Count of={result.refused} /> : "–") },
  { title: "Read", number: true, cell: ({ result }) => (result ? size(result.bytes) : "–") },
  { title: "Notes", cell: (run) => <Notes run={run} /> },
];

const tookMs = ({ startedAt, endedAt }: Result): number =>
  new Date(endedAt).getTime() - new Date(startedAt).getTime();

const Due = ({ at, asked }: { readonly at: string; readonly asked: string }) => (
  <>
    <Clock at={at} />{" "}
    <span class="faint">{asked === "schedule" ? "" : asked === "operator" ? "asked for" : asked}</span>
  </>
);

function Notes({ run: { fault, result, attempts } }: { readonly run: Run }) {
  if (fault)
    return (
      <>
        <code>{fault.code}</code> <Plain text={fault.message.slice(0, 300)} />{" "}
        <span class="faint">after {count(attempts, "attempt")}</span>
      </>
    );
  if (!result || result.notes.length === 0) return <>–</>;
  return (
    <details>
      <summary>{count(result.notes.length, "note")}</summary>
      <ul class="plain-list">
        {result.notes.map(({ place, because }) => (
          <li key={`${place} ${because}`}>
            <Name text={place} />: <Plain text={because} />
          </li>
        ))}
      </ul>
    </details>
  );
}
