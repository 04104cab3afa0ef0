import { Option } from "@commander-js/extra-typings";
import {
  type Operator,
  type TimelineKind,
  type Trace,
  type TraceLine,
  timelineKinds,
} from "@headway/engine/operate";
import { callsText } from "../calls-text.ts";
import { withDesk } from "../desk.ts";
import { Refusal } from "../exit-codes.ts";
import { findAllNamed, type Naming, namingWords } from "../find-named.ts";
import type { Adding } from "../run.ts";
import { parseCount, sharedFlags } from "../shared-options.ts";
import { showRelative, showSpan } from "../show-time.ts";
import { type Console, oneLine, pad, shorten, showCount, showNumber, widthOf } from "../terminal.ts";
import { explainAll } from "./explain.ts";

export function addTrace({ program, console }: Adding): void {
  program
    .command("trace")
    .description("Show the history of a request or document")
    .argument("<request-or-id>", "req_… as it stands in logs and events, or a document's id")
    .option("--collection <name>", "the collection the document is in")
    .option("--stage <name>", "only what happened at this stage; of a group: the stage it belongs to")
    .addOption(new Option("--only <kinds...>", "only these").choices(timelineKinds))
    .option("--limit <number>", "how many lines", "200")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway trace req_5f1c6f0e-8f55-4f0e-9d53-6f2f4f6f1c11
  headway trace req_5f1c6f0e-8f55-4f0e-9d53-6f2f4f6f1c11.stage_parsing.retry_2
  headway trace '<1234@example.org>' --only fault dead act

Of a document it tells what it came from, what came from it, and the groups it is in. Times are UTC; beside what is done
stands how long that was after its document came.`,
    )
    .action((text, options) =>
      withDesk(options, async ({ operator }) => {
        const limit = parseCount(options.limit, "--limit", 1_000_000);
        const { only, json } = options;
        const kinds = only as TimelineKind[] | undefined;
        const told = new Set<string>();
        for (const { target, stage, title } of await targetsOf(operator, text, options)) {
          // Related to the last document: the timeline already has its lines.
          if (title !== null && told.has(title)) continue;
          const story = await operator.trace(target, { limit, stage, ...(kinds && { kinds }) });
          for (const { subject } of story.lines) told.add(subject);
          if (json) story.lines.forEach(console.writeJson);
          else if (story.lines.length > 0) show(story, operator.now(), console);
        }
        if (told.size > 0) return;
        throw new Refusal(
          `Nothing is known of ${oneLine(text)}; headway documents ID shows the request of a document.`,
        );
      }),
    );
}

const looksLikeRequest =
  /^(req_)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(\.stage_.*)?$/i;

/** One request, or every document and group of a name, the most troubled first. */
async function targetsOf(operator: Operator, text: string, { collection, stage }: Naming) {
  const request = looksLikeRequest.test(text) || text.startsWith("req_");
  if (request && collection === undefined) return [{ target: { request: text }, stage, title: null }];
  const inPlace = await operator.lookUp(text, { collection });
  // `--stage` selects a group among several of the same name, or a part of a document's timeline.
  const isGroup = stage !== undefined && collection === undefined && inPlace.found.length !== 1;
  const groups = isGroup ? (await operator.lookUp(text, { stage })).found : [];
  const found =
    groups.length > 0 ? groups : await findAllNamed(operator, text, { collection }, "headway trace");
  return (await explainAll(operator, found)).map(({ named }) => ({
    target: { subject: named.subject },
    stage: named.collection === null ? undefined : stage,
    title: `${named.collection ?? named.stage}/${named.id}`,
  }));
}

function show({ lines, counts, cut }: Trace, now: Date, console: Console): void {
  const subjectWidth = Math.min(
    Math.max(...lines.map(({ subject }) => widthOf(oneLine(subject)))),
    Math.max(16, Math.floor(console.columns / 3)),
  );
  let day = "";
  for (const line of lines) {
    const itsDay = line.at.toISOString().slice(0, 10);
    if (itsDay !== day) console.write(`${console.colors.bold(itsDay)}\n`);
    day = itsDay;
    console.write(`${lineOf(line, { now, subjectWidth }, console)}\n`);
  }
  const total = Object.values(counts).reduce((all, count) => all + count, 0);
  const parts = timelineKinds.flatMap((kind) =>
    counts[kind] ? [`${showNumber(counts[kind])} ${kind}`] : [],
  );
  const rest = cut ? ` The first ${showNumber(lines.length)} are shown: --limit ${total} shows all.` : "";
  console.warn(`${showCount(total, "line")}: ${parts.join(", ")}.${rest}\n`);
  const dead = lines.find(({ kind }) => kind === "dead");
  if (dead) console.warn(`Look at what died with: headway failed inspect ${dead.deadLetter}\n`);
  const waiting = lines.find(({ kind }) => kind === "waiting");
  if (!dead && waiting)
    console.warn(`See what it waits for with: headway explain ${explainWords(waiting)}\n`);
}

function explainWords({ subject, stage }: TraceLine): string {
  const slash = subject.indexOf("/");
  const [place, id] = [subject.slice(0, slash), subject.slice(slash + 1)];
  return namingWords(
    place === stage ? { collection: null, stage, id } : { collection: place, stage: null, id },
  );
}

const kindWidth = Math.max(...timelineKinds.map((kind) => kind.length));

function lineOf(
  line: TraceLine,
  { now, subjectWidth }: { now: Date; subjectWidth: number },
  console: Console,
): string {
  const { at, kind, subject } = line;
  const start = `${at.toISOString().slice(11, 23)}  ${pad(kind, kindWidth)}  ${pad(shorten(oneLine(subject), subjectWidth), subjectWidth)}  `;
  const text = shorten(oneLine(wordsOf(line, now)), Math.max(20, console.columns - widthOf(start)));
  return paint(kind, console)(`${start}${text}`.trimEnd());
}

function paint(kind: TimelineKind, { colors }: Console): (text: string) => string {
  if (kind === "fault" || kind === "waiting") return colors.yellow;
  if (kind === "dead" || kind === "deleted") return colors.red;
  return kind === "done" ? colors.green : String;
}

/** How a result was made: time of its attempt, calls to services, and a finding. */
function madeText(made: TraceLine["made"]): string {
  if (!made) return "";
  const { attemptMs, calls, batch, finding } = made;
  const ran =
    attemptMs === null ? "" : `; ran ${showSpan(attemptMs)}${batch > 1 ? ` in a batch of ${batch}` : ""}`;
  return `${ran}${calls ? `; ${callsText(calls)}` : ""}${finding ? `; unexpected: ${finding}` : ""}`;
}

/** An entry in words, with actor and reason. */
export function wordsOf(line: TraceLine, now: Date): string {
  const { kind, stage, word, text, attempts, outputs, tookMs, deadLetter, at, made } = line;
  switch (kind) {
    case "accepted":
      return `from ${word ?? "a source that is gone"}`;
    case "made":
      return `by ${word ?? "a stage"}${text ? ` from ${text}` : ""}`;
    case "changed":
      return `by ${word ?? "its origin"}`;
    case "done": {
      const took = tookMs === null ? "" : `, ${showSpan(tookMs)} after it came`;
      const tries = attempts !== null && attempts > 1 ? `, at attempt ${attempts}` : "";
      return `${stage} yielded ${showCount(outputs ?? 0, "document")}${tries}${took}${madeText(made)}`;
    }
    case "fault":
      return `${stage} failed, attempt ${attempts}: ${word}: ${text ?? ""}`;
    case "dead":
      return `${stage}, letter ${deadLetter}: ${word}: ${text ?? ""}`;
    case "closed":
      return `${stage}, letter ${deadLetter} was ${word} by ${text}`;
    case "event":
      return `${word} announced (${text})`;
    case "act":
      return `${word} by ${text}`;
    case "deleted":
      return "and waits to be removed";
    case "claimed":
      return `${stage} is held by ${word} for ${showSpan(now.getTime() - at.getTime())}`;
    case "waiting":
      return `${stage} is owed${word ? ` (${word})` : ""}, tried ${attempts} times so far${at > now ? `, next ${showRelative(at, now)}` : ""}`;
  }
}
