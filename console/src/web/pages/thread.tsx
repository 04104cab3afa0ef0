import { useEffect } from "preact/hooks";
import { type Page, usePage } from "../ask.ts";
import { Block } from "../parts/scroll.tsx";
import { count, Day, Name, Plain, size } from "../parts/text.tsx";
import { WholePage } from "../parts/whole-page.tsx";
import { go, Link, useAddress } from "../route.tsx";
import { Outcome } from "./threads.tsx";

type Thread = Page<"thread">["thread"];
type Message = Thread["messages"][number];
type Position = Thread["positions"][number];

interface Chosen {
  readonly message: string | null;
  readonly start: number;
  readonly end: number;
}

/** A conversation: outcome, positions, and the mail with each quote marked. */
export function ThreadPage({ id }: { readonly id: string }) {
  const asked = usePage("thread", { id });
  const { hash } = useAddress();
  const [start = 0, end = 0] = (hash.get("q") ?? "").split("-").map(Number);
  const chosen: Chosen = { message: hash.get("m"), start, end };
  const subject = asked.kind === "here" ? asked.data.thread.subject : "Thread";
  return (
    <WholePage title={subject.slice(0, 200) || "(no subject)"} asked={asked}>
      {({ thread }) => <Reader thread={thread} chosen={chosen} />}
    </WholePage>
  );
}

const quoteHref = ({ message, start, end }: { message: string; start: number; end: number }): string =>
  `${location.pathname}#m=${encodeURIComponent(message)}&q=${start}-${end}`;

function Reader({ thread, chosen }: { readonly thread: Thread; readonly chosen: Chosen }) {
  useEffect(() => {
    const mark =
      document.querySelector("mark.chosen") ??
      (chosen.message === null ? null : document.getElementById(`m-${chosen.message}`));
    mark?.scrollIntoView({ block: "center" });
  }, [chosen.message, chosen.start, chosen.end]);
  return (
    <>
      <p class="faint">
        <Plain text={thread.list} /> · {count(thread.messages.length, "message")} by{" "}
        {count(thread.participants.length, "person", "people")} · <Day at={thread.firstDate} /> to{" "}
        <Day at={thread.lastDate} />
      </p>
      <div class="reader">
        <div class="verdict">
          <Verdict thread={thread} />
          <Positions positions={thread.positions} />
        </div>
        <div class="mails">
          <h2>The mail</h2>
          {thread.messages.map((message) => (
            <Mail key={message.id} message={message} thread={thread} chosen={chosen} />
          ))}
        </div>
      </div>
    </>
  );
}

type Asked = NonNullable<NonNullable<Thread["outcome"]>["question"]>;

const Question = ({ question }: { readonly question: Asked }) => (
  <section>
    <h2>The question</h2>
    <p>
      <Link href={quoteHref(question)}>
        “<Plain text={question.quote} />”
      </Link>{" "}
      <span class="faint">
        asked by <Name text={question.by.name || question.by.address} />
      </span>
    </p>
  </section>
);

function Verdict({ thread: { outcome, summary } }: { readonly thread: Thread }) {
  return (
    <>
      {outcome?.question && <Question question={outcome.question} />}
      {outcome && (
        <section>
          <h2>Outcome</h2>
          <p class="verdict-word">
            <Outcome level={outcome.level} />{" "}
            {outcome.level !== "none" && (
              <span class="faint">confidence {Math.round(outcome.confidence * 100)} %</span>
            )}
          </p>
          {outcome.tally && (
            <p>
              Votes: {outcome.tally.for} for, {outcome.tally.against} against, {outcome.tally.abstain}{" "}
              abstaining.
            </p>
          )}
          <ul>
            {outcome.reasons.slice(0, 6).map((reason) => (
              <li key={reason}>
                <Plain text={reason} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {summary && summary.sentences.length > 0 && (
        <section>
          <h2>Summary</h2>
          <p class="summary">
            {summary.sentences.map((sentence, index) => (
              <span key={index}>
                <Plain text={sentence.text} />
                {sentence.citations[0] && (
                  <Link class="cite" href={quoteHref(sentence.citations[0])}>
                    [{index + 1}]<span class="unseen"> the words in the mail</span>
                  </Link>
                )}{" "}
              </span>
            ))}
          </p>
          <p class="faint">
            by <Plain text={summary.model} />; each sentence leads to the words that show it
          </p>
          {(summary.notes ?? []).map((note) => (
            <p class="faint" key={note}>
              <Plain text={note} />
            </p>
          ))}
        </section>
      )}
    </>
  );
}

function Positions({ positions }: { readonly positions: readonly Position[] }) {
  const standing = positions.filter((one) => one.supersededBy === null);
  if (standing.length === 0) return null;
  return (
    <section>
      <h2>Who stands where</h2>
      <ol class="positions">
        {standing.map((one) => (
          <li key={one.id} class={one.stance} data-row>
            <p>
              <strong>
                <Name text={one.person.name || one.person.address} />
              </strong>{" "}
              <span class={`stance ${one.stance}`}>{one.stance}s</span>{" "}
              <span class="faint">
                <Day at={one.at} />
              </span>
            </p>
            <p class="passage">
              <Link href={quoteHref(one)}>
                “<Plain text={one.quote.length > 240 ? `${one.quote.slice(0, 240)}…` : one.quote} />”
              </Link>
            </p>
            <p class="faint">
              <Plain text={one.because} />
            </p>
            {positions
              .filter(({ supersededBy }) => supersededBy === one.id)
              .map((before) => (
                <p key={before.id} class="faint">
                  before: {before.stance}, <Day at={before.at} />,{" "}
                  <Link href={quoteHref(before)}>in these words</Link>
                </p>
              ))}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Mail({
  message,
  thread,
  chosen,
}: {
  readonly message: Message;
  readonly thread: Thread;
  readonly chosen: Chosen;
}) {
  const quotes = [
    ...thread.positions.map(({ message: of, start, end, stance }) => ({
      of,
      start,
      end,
      stance: stance as string,
    })),
    ...(thread.summary?.sentences ?? []).flatMap(({ citations }) =>
      citations.map(({ message: of, start, end }) => ({ of, start, end, stance: "" })),
    ),
  ].filter(({ of }) => of === message.id);
  const target =
    chosen.message === message.id && chosen.end > chosen.start
      ? [{ start: chosen.start, end: chosen.end, stance: "chosen" }]
      : [];
  return (
    <article class={`mail depth-${Math.min(message.depth, 6)}`} id={`m-${message.id}`}>
      <header>
        <h3>
          <Name text={message.from.name || message.from.address} />
        </h3>
        <p class="faint">
          <Day at={message.date} /> · <Name text={message.subject || "(no subject)"} />
        </p>
      </header>
      <div class="mail-text">
        <Segments text={message.clean} quotes={[...target, ...quotes]} message={message.id} />
      </div>
      {message.attachments.length > 0 && (
        <p class="faint">
          attached:{" "}
          {message.attachments
            .map(({ filename, size: bytes }) => `${filename ?? "without a name"} (${size(bytes)})`)
            .join(", ")}
        </p>
      )}
      {message.text.trim() !== message.clean.trim() && (
        <details>
          <summary>The whole mail, with quoted lines and signature</summary>
          <Block label="The whole mail" text={message.text} />
        </details>
      )}
    </article>
  );
}

interface Quoted {
  readonly start: number;
  readonly end: number;
  readonly stance: string;
}

/** The text with its quotes marked; where quotes overlap, the first wins. */
function Segments({
  text,
  quotes,
  message,
}: {
  readonly text: string;
  readonly quotes: readonly Quoted[];
  readonly message: string;
}) {
  const cuts = [...new Set([0, text.length, ...quotes.flatMap(({ start, end }) => [start, end])])]
    .filter((at) => at >= 0 && at <= text.length)
    .sort((a, b) => a - b);
  return (
    <>
      {cuts.slice(0, -1).map((from, index) => {
        const to = cuts[index + 1] as number;
        const quote = quotes.find(({ start, end }) => start <= from && to <= end);
        const part = <Plain text={text.slice(from, to)} />;
        if (!quote) return <span key={from}>{part}</span>;
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the same way leads from the position's link, which keyboards reach.
          <mark
            key={from}
            class={quote.stance}
            onClick={() => go(quoteHref({ message, ...quote }), { replace: true })}
          >
            {part}
          </mark>
        );
      })}
    </>
  );
}
