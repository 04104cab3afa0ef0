import { type Page, usePage } from "../ask.ts";
import { ActButton } from "../parts/act-button.tsx";
import { Block } from "../parts/scroll.tsx";
import { Facts } from "../parts/table.tsx";
import { Clock, count, Moment, Name, Plain } from "../parts/text.tsx";
import { WholePage } from "../parts/whole-page.tsx";
import { address, documentAddress, groupAddress, Link } from "../route.tsx";

/** One dead letter: its input, and each failed attempt. */
export function LetterPage({ id }: { readonly id: string }) {
  const asked = usePage("letter", { id });
  const filter = { ids: [Number(id)] };
  return (
    <WholePage
      title={`Dead letter #${id}`}
      asked={asked}
      acts={
        <>
          <ActButton act="requeue" fields={{ filter }}>
            Requeue…
          </ActButton>
          <ActButton act="resolve" fields={{ filter }}>
            Resolve…
          </ActButton>
          <ActButton act="purge" fields={{ filter }}>
            Purge…
          </ActButton>
        </>
      }
    >
      {(data) => <Letter data={data} />}
    </WholePage>
  );
}

function Letter({ data: { letter, input } }: { readonly data: Page<"letter"> }) {
  return (
    <>
      <p class="lede">
        {letter.stage}: <Plain text={letter.message.slice(0, 500) || letter.code} />
      </p>
      <Facts of={factsOf(letter)} />
      <h2>Failed attempts</h2>
      <ol class="time-line">
        {letter.faults.toReversed().map((one) => (
          <Attempt key={`${one.attempt} ${one.at}`} one={one} />
        ))}
      </ol>
      {input && (
        <>
          <h2>Input</h2>
          {input.characters > input.text.length && (
            <p class="faint">
              The first {input.text.length} of {input.characters} characters.
            </p>
          )}
          <Block label="Input" text={input.text} />
        </>
      )}
    </>
  );
}

function factsOf(letter: Page<"letter">["letter"]) {
  const { stage, collection, document, fingerprint } = letter;
  const href = collection !== null ? documentAddress(collection, document) : groupAddress(stage, document);
  return [
    [
      "Document",
      <Link key="document" href={href}>
        <Name text={document} />
      </Link>,
    ],
    [
      "Died",
      <span key="died">
        <Moment at={letter.died_at} /> ({letter.reason}) after{" "}
        {count(letter.attempts + letter.waits + letter.crashes, "attempt")}
      </span>,
    ],
    [
      "Fault",
      <span key="fault">
        <code>{letter.code}</code>, {letter.kind};{" "}
        <Link href={address("/dead", { stage, fingerprint })}>all of this cause</Link>
      </span>,
    ],
    ["Code", `version ${letter.version ?? "unknown"}${letter.model ? `, model ${letter.model}` : ""}`],
    ["Correlation id", <code key="correlation">{letter.correlation_id}</code>],
    ["State", letter.closed_as === null ? "open" : `${letter.closed_as} by ${letter.closed_by}`],
  ] as const;
}

function Attempt({ one }: { readonly one: Page<"letter">["letter"]["faults"][number] }) {
  const { attempt, at, fault } = one;
  return (
    <li class="fault" data-row>
      <Clock at={at} />
      <span>attempt {attempt}</span>
      <div class="what">
        <code>{fault.code}</code> <Plain text={fault.message.slice(0, 500)} />
        {typeof fault.stack === "string" && (
          <details>
            <summary>Stack</summary>
            <Block label={`Stack of attempt ${attempt}`} text={fault.stack} />
          </details>
        )}
      </div>
    </li>
  );
}
