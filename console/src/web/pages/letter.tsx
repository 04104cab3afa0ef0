import { type Page, usePage } from "../ask.ts";
import { ActButton } from "../parts/act-button.tsx";
import { Block } from "../parts/scroll.tsx";
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
  const { stage, collection, document } = letter;
  return (
    <>
      <p class="lede">
        {stage}: <Plain text={letter.message.slice(0, 500) || letter.code} />
      </p>
      <dl class="facts">
        <div>
          <dt>Document</dt>
          <dd>
            <Link
              href={
                collection !== null ? documentAddress(collection, document) : groupAddress(stage, document)
              }
            >
              <Name text={document} />
            </Link>
          </dd>
        </div>
        <div>
          <dt>Died</dt>
          <dd>
            <Moment at={letter.died_at} /> ({letter.reason}) after{" "}
            {count(letter.attempts + letter.waits + letter.crashes, "attempt")}
          </dd>
        </div>
        <div>
          <dt>Fault</dt>
          <dd>
            <code>{letter.code}</code>, {letter.kind};{" "}
            <Link href={address("/dead", { stage, fingerprint: letter.fingerprint })}>all of this cause</Link>
          </dd>
        </div>
        <div>
          <dt>Code</dt>
          <dd>
            version {letter.version ?? "unknown"}
            {letter.model ? `, model ${letter.model}` : ""}
          </dd>
        </div>
        <div>
          <dt>Correlation id</dt>
          <dd>
            <code>{letter.correlation_id}</code>
          </dd>
        </div>
        {letter.closed_as !== null && (
          <div>
            <dt>Closed</dt>
            <dd>
              {letter.closed_as} by <Plain text={letter.closed_by ?? ""} /> <Moment at={letter.closed_at} />
            </dd>
          </div>
        )}
      </dl>
      <section>
        <h2>Failed attempts</h2>
        <ol class="time-line">
          {letter.faults.toReversed().map((one) => (
            <li key={`${one.attempt} ${one.at}`} class="fault" data-row>
              <Clock at={one.at} />
              <span>attempt {one.attempt}</span>
              <div class="what">
                <code>{one.fault.code}</code> <Plain text={one.fault.message.slice(0, 500)} />
                {typeof one.fault.stack === "string" && (
                  <details>
                    <summary>Stack</summary>
                    <Block label={`Stack of attempt ${one.attempt}`} text={one.fault.stack} />
                  </details>
                )}
              </div>
            </li>
          ))}
        </ol>
      </section>
      {input && (
        <section>
          <h2>Input</h2>
          {input.characters > input.text.length && (
            <p class="faint">
              The first {input.text.length} of {input.characters} characters.
            </p>
          )}
          <Block label="Input" text={input.text} />
        </section>
      )}
    </>
  );
}
