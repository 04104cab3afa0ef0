import { useEffect, useState } from "preact/hooks";
import { clockOffsetMs } from "../live.ts";
import { useStore } from "../store.ts";

/** Characters that change how text around them is shown: controls, bidi marks, invisible ones. */
const hidden = /[^\P{Cc}\t\n\r]|[^\P{Cf}\u200d]|[\u2028\u2029]/u;

/** Text from outside: shown as text, with hidden characters as visible marks. */
export function Plain({ text }: { readonly text: string }) {
  if (!hidden.test(text)) return <>{text}</>;
  const parts: (string | { readonly code: string })[] = [];
  let run = "";
  for (const character of text) {
    if (!hidden.test(character)) run += character;
    else {
      if (run !== "") parts.push(run);
      run = "";
      parts.push({ code: (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0") });
    }
  }
  parts.push(run);
  return (
    <>
      {parts.map((part) =>
        typeof part === "string" ? part : <span class="hidden-mark">U+{part.code}</span>,
      )}
    </>
  );
}

const shownMax = 160;

/** A name from outside, cut where it is very long; the whole is on its own page. */
export function Name({ text }: { readonly text: string }) {
  const cut = text.length > shownMax;
  return (
    <span class="name" title={cut ? `${text.length} characters` : undefined}>
      <Plain text={cut ? `${text.slice(0, shownMax)}…` : text} />
      {text === "" && <em>(empty)</em>}
    </span>
  );
}

const whole = new Intl.NumberFormat("en");

/** A number counted exactly at the time of the page's reading. */
export const Count = ({ of }: { readonly of: number }) => <>{whole.format(of)}</>;

interface Counted {
  readonly done: number;
  /** Added to the last count by figures of the workers. */
  readonly doneSince: number;
  readonly countedAt: string;
  readonly openAt: string;
}

const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** Results of a stage: exact if counted now, else with "≈" and the moment of the last exact count. */
export function Results({ line: { done, doneSince, countedAt, openAt } }: { readonly line: Counted }) {
  if (countedAt === openAt || (done < 10_000 && doneSince === 0)) return <Count of={done} />;
  const then = new Date(countedAt).toLocaleTimeString("en-GB");
  return (
    <span title={`${whole.format(done - doneSince)} at ${then}, about ${whole.format(doneSince)} since`}>
      ≈{short.format(done)}
    </span>
  );
}

export const count = (of: number, noun: string, plural = `${noun}s`): string =>
  `${whole.format(of)} ${of === 1 ? noun : plural}`;

/** A new rendering every so often, for ages. */
function useTick(ms: number): void {
  const [, render] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => render((tick) => tick + 1), ms);
    return () => clearInterval(timer);
  }, [ms]);
}

/** A moment as its age, with the local time as a tooltip. */
export function Moment({ at }: { readonly at: string | null }) {
  useTick(10_000);
  const offset = useStore(clockOffsetMs);
  if (at === null) return <>–</>;
  const date = new Date(at);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <time dateTime={at} title={`${date.toLocaleString("en-GB")} (${zone}); ${date.toISOString()}`}>
      {relative(date.getTime() - Date.now() - offset)}
    </time>
  );
}

/** A moment that lies ahead; a past one is due. */
export function Ahead({ at }: { readonly at: string | null }) {
  const offset = useStore(clockOffsetMs);
  if (at !== null && new Date(at).getTime() < Date.now() + offset) return <>now</>;
  return <Moment at={at} />;
}

/** A moment on the clock, for time lines. */
export function Clock({ at }: { readonly at: string }) {
  const date = new Date(at);
  const today = new Date(Date.now() + clockOffsetMs.get()).toDateString() === date.toDateString();
  const day = date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
  return (
    <time dateTime={at} title={date.toISOString()}>
      {today ? "" : `${day} `}
      {date.toLocaleTimeString("en-GB")}
    </time>
  );
}

const moments = /([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(?:[.][0-9]+)?Z)/;

/** A sentence of the engine, with its moments on the reader's clock. */
export const Sentence = ({ text }: { readonly text: string }) => (
  <>
    {text
      .split(moments)
      .map((part, index) =>
        index % 2 === 1 ? <Clock key={index} at={part} /> : <Plain key={index} text={part} />,
      )}
  </>
);

export function Day({ at }: { readonly at: string | null }) {
  if (at === null) return <>no date</>;
  const shown = new Date(at).toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    timeZone: "UTC",
  });
  return <time dateTime={at}>{shown}</time>;
}

function relative(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1_000);
  const shown = duration(seconds * 1_000);
  if (seconds < 2) return "now";
  return ms > 0 ? `in ${shown}` : `${shown} ago`;
}

/** Never negative: two clocks may differ. */
export function duration(ms: number): string {
  const seconds = Math.max(0, ms / 1_000);
  if (seconds < 1) return `${Math.round(Math.max(0, ms))} ms`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

const marks: Readonly<Record<string, string>> = {
  done: "✓",
  dead: "✕",
  waiting: "·",
  claimed: "▸",
  pending: "·",
  none: "○",
  live: "●",
};
const words: Readonly<Record<string, string>> = {
  pending: "waiting",
  none: "not owed yet",
};

/** A state as mark and word; colour is never alone. */
export function State({ of }: { readonly of: string }) {
  return (
    <span class={`state ${of}`}>
      <span aria-hidden="true">{marks[of] ?? "·"}</span> {words[of] ?? of}
    </span>
  );
}
