import { type Page, usePage } from "../ask.ts";
import { ActButton } from "../parts/act-button.tsx";
import { Notes } from "../parts/notes.tsx";
import { Block } from "../parts/scroll.tsx";
import { Clock, Count, count, duration, Moment, Name, Plain, Sentence, State, size } from "../parts/text.tsx";
import { Versions } from "../parts/versions.tsx";
import { Empty, WholePage } from "../parts/whole-page.tsx";
import { documentAddress, groupAddress, Link, useAddress } from "../route.tsx";

type Where =
  | { readonly collection: string; readonly id: string }
  | { readonly stage: string; readonly key: string };
type Data = Page<"document">;

/** The story of one document, or of one group of a fan-in stage: why it is not done, and all that happened. */
export function DocumentPage({ where }: { readonly where: Where }) {
  const asked = usePage("document", { ...where });
  const target = where;
  const name = "id" in where ? where.id : where.key;
  const place = "id" in where ? where.collection : where.stage;
  const open = asked.kind === "here" && asked.data.explanation.stages.some((one) => one.state !== "done");
  return (
    <WholePage
      title={`${place} / ${name.length > 80 ? `${name.slice(0, 80)}…` : name}`}
      asked={asked}
      acts={
        <>
          {open && (
            <ActButton act="retry" fields={{ target }}>
              Retry now
            </ActButton>
          )}
          {open && (
            <ActButton act="cancel" fields={{ target }}>
              Cancel work…
            </ActButton>
          )}
          <ActButton act="note" fields={{ about: { kind: "document", name: `${place}/${name}` } }}>
            Add note…
          </ActButton>
          {"id" in where && (
            <ActButton act="delete" fields={{ target }}>
              Delete…
            </ActButton>
          )}
        </>
      }
    >
      {(data) => <Story data={data} />}
    </WholePage>
  );
}

function Story({ data }: { readonly data: Data }) {
  const { explanation, about, content } = data;
  return (
    <>
      <p class="lede story-sentence">
        <Sentence text={explanation.sentence} />
      </p>
      {about && (
        <p class="faint">
          {size(about.bytes)} · came <Moment at={about.created_at} /> · changed{" "}
          <Moment at={about.changed_at} /> · request <code>req_{about.request}</code>
        </p>
      )}
      <Notes notes={data.notes} />
      <StageSteps data={data} />
      <TimeLine data={data} />
      <Relatives data={data} />
      {data.former && <Versions former={data.former} />}
      {content && (
        <section>
          <h2>Content</h2>
          {content.characters > content.text.length && (
            <p class="faint">
              The first <Count of={content.text.length} /> of <Count of={content.characters} /> characters.
            </p>
          )}
          <details open={content.characters < 4_000}>
            <summary>{count(content.characters, "character")} of JSON</summary>
            <Block label="Content" text={content.text} />
          </details>
        </section>
      )}
    </>
  );
}

function StageSteps({ data: { explanation } }: { readonly data: Data }) {
  const { stages, collection, id } = explanation;
  if (stages.length === 0)
    return <Empty>No stage reads this collection: this is where a pipeline ends.</Empty>;
  return (
    <section>
      <h2>Stages</h2>
      <ol class="steps">
        {stages.map((one) => (
          <Step key={`${one.stage} ${one.group}`} one={one} id={collection === null ? null : id} />
        ))}
      </ol>
    </section>
  );
}

type StageStep = Data["explanation"]["stages"][number];

function Step({ one, id }: { readonly one: StageStep; readonly id: string | null }) {
  const { stage, group, fault } = one;
  return (
    <li class={one.state} data-row>
      <div class="step-head">
        <Link href={`/stages/${encodeURIComponent(stage)}`}>{stage}</Link>
        <State of={one.heldBy ? "claimed" : one.state} />
        {group !== null && (
          <span class="faint">
            in group{" "}
            <Link href={groupAddress(stage, group)}>
              <Name text={group} />
            </Link>
          </span>
        )}
        {one.deadLetter !== null && (
          <Link href={`/dead/${one.deadLetter}`}>dead letter #{one.deadLetter}</Link>
        )}
      </div>
      <p>
        <Sentence text={one.sentence} />
      </p>
      <Made one={one} />
      {fault && (
        <details>
          <summary>
            Last fault: <code>{fault.code}</code> ({fault.kind})
          </summary>
          <Block label={`Fault at ${stage}`} text={fault.message} />
        </details>
      )}
      {one.state === "done" && id !== null && group === null && (
        <ActButton act="reprocess" fields={{ filter: { stage, ids: [id] } }} label={`Reprocess at ${stage}`}>
          Reprocess…
        </ActButton>
      )}
    </li>
  );
}

/** Attempts and versions: of the result, and of the newest code. */
function Made({ one: { attemptCount, limit, made, newest, stale, next } }: { readonly one: StageStep }) {
  const model = made?.model ? `, model ${made.model}` : "";
  return (
    <p class="faint">
      {attemptCount === 0 ? `no attempt yet, ${limit} allowed` : `attempt ${attemptCount} of ${limit}`}
      {made && ` · made by version ${made.version}${model}`}
      {newest && made && newest.version !== made.version && ` · newest code is version ${newest.version}`}
      {stale.length > 0 && ` · stale: ${stale.join(", ")}`}
      {next.at !== null && (
        <>
          {" "}
          · next <Moment at={next.at} />
        </>
      )}
    </p>
  );
}

/** Ancestors and descendants of the document. */
function Relatives({ data: { family, about, former } }: { readonly data: Data }) {
  const changed = about !== null && about.changed_at !== about.created_at;
  if (family.before.length + family.after.length === 0 && !changed) return null;
  return (
    <section>
      <h2>Lineage</h2>
      {changed && (
        <p class="faint">
          The content was replaced <Moment at={about.changed_at} />
          {former === null && "; the former content is not kept"}.
        </p>
      )}
      <ul class="plain-list">
        {family.before.map((one, index) => (
          <li key={`${one.collection} ${one.id}`} data-row>
            {index === 0 ? "came from" : "which came from"} <Relation of={one} />
          </li>
        ))}
        {family.after.map(({ collection, count: many, first }) => (
          <li key={collection} data-row>
            led to {count(many, "document")} in {collection}:{" "}
            {first.map((one, index) => (
              <span key={one.id}>
                {index > 0 && ", "}
                <Relation of={one} />
              </span>
            ))}
            {many > first.length && " …"}
          </li>
        ))}
      </ul>
    </section>
  );
}

const Relation = ({ of: { collection, id } }: { readonly of: Data["family"]["before"][number] }) => (
  <Link href={documentAddress(collection, id)}>
    <Name text={`${collection} / ${id}`} />
  </Link>
);

function TimeLine({ data: { lines, counts, cut, explanation } }: { readonly data: Data }) {
  const { query, set } = useAddress();
  const kind = query.get("kind") ?? "";
  const shown = lines.filter((one) => kind === "" || one.kind === kind).toReversed();
  const self = `${explanation.collection ?? ""}/${explanation.id}`;
  const kinds = Object.entries(counts) as [string, number][];
  return (
    <section>
      <h2>Time line</h2>
      <div class="filters">
        <label>
          Show
          <select value={kind} onChange={(event) => set("kind", event.currentTarget.value)}>
            <option value="">everything ({kinds.reduce((sum, [, many]) => sum + many, 0)})</option>
            {kinds.map(([name, many]) => (
              <option key={name} value={name}>
                {name} ({many})
              </option>
            ))}
          </select>
        </label>
        <span class="faint">
          newest first, with all that it came from and led to
          {cut && `; the first ${lines.length} of its entries`}
        </span>
      </div>
      <ol class="time-line">
        {shown.map((line, index) => (
          <Entry key={`${line.at} ${index}`} line={line} self={self} />
        ))}
      </ol>
    </section>
  );
}

function Entry({ line, self }: { readonly line: Data["lines"][number]; readonly self: string }) {
  const { stage, subject, kind, word, text, outputs, attempts, deadLetter, tookMs } = line;
  return (
    <li class={kind} data-row>
      <Clock at={line.at} />
      <State of={kind} />
      <span class="what">
        {stage !== null && <strong>{stage} </strong>}
        {subject !== self && <Subject name={subject} kind={kind} stage={stage} />}{" "}
        {word !== stage && <Plain text={tell(kind, word)} />}{" "}
        <span class="faint">
          <Plain text={kind === "made" && text !== null ? `from ${text}` : (text?.slice(0, 300) ?? "")} />
        </span>
        {outputs !== null && ` · ${count(outputs, "document")}`}
        {attempts !== null && attempts > 1 && ` · attempt ${attempts}`}
        {deadLetter !== null && (
          <>
            {" "}
            · <Link href={`/dead/${deadLetter}`}>#{deadLetter}</Link>
          </>
        )}
        {tookMs !== null && ` · after ${duration(tookMs)}`}
      </span>
    </li>
  );
}

/** Reasons of waiting tasks, in words. */
const reasons: Readonly<Record<string, string>> = {
  after: "until all members have passed earlier stages",
  quiet: "until the group is quiet",
  upstream: "until earlier stages have ended",
  backoff: "for the next attempt",
  scheduled: "for the time set by a person",
};

const tell = (kind: string, word: string | null): string =>
  word === null
    ? ""
    : kind === "waiting"
      ? (reasons[word] ?? word)
      : kind === "accepted"
        ? `from the source ${word}`
        : word;

/** `collection/id` or `stage/key` as a link; names of acts as text. */
function Subject({
  name,
  kind,
  stage,
}: {
  readonly name: string;
  readonly kind: string;
  readonly stage: string | null;
}) {
  const slash = name.indexOf("/");
  if (slash <= 0 || kind === "act") return <Name text={name} />;
  if (name.slice(0, slash) === stage)
    return (
      <>
        group{" "}
        <Link href={groupAddress(stage, name.slice(slash + 1))}>
          <Name text={name.slice(slash + 1)} />
        </Link>
      </>
    );
  return (
    <Link href={documentAddress(name.slice(0, slash), name.slice(slash + 1))}>
      <Name text={name} />
    </Link>
  );
}
