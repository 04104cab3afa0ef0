import type { ThreadStory } from "@headway/consensus";
import { count, type Figure, share } from "./figures.ts";
import type { FinishedRun } from "./run-lists.ts";

/** Checks every quote against the stored text of the cited message. */
export function quoteFigures({ lists }: FinishedRun): readonly Figure[] {
  const stories = lists.flatMap((list) => list.stories);
  const cited = (quotes: (story: ThreadStory) => readonly Quote[]) => {
    const all = stories.flatMap((story) => quotes(story).map((quote) => isTrue(story, quote)));
    return { all: all.length, right: all.filter(Boolean).length };
  };
  const inSummaries = cited(({ summary }) =>
    (summary?.sentences ?? []).flatMap(({ citations }) => citations),
  );
  const inPositions = cited(({ positions }) => positions);
  const inOutcomes = cited(({ assessment }) => [
    ...(assessment?.decisions ?? []),
    ...(assessment?.calls ?? []),
    ...(assessment?.votes ?? []),
  ]);
  const silent = stories
    .flatMap(({ summary }) => summary?.sentences ?? [])
    .filter((each) => each.citations.length === 0);
  const withWords = stories.filter(({ messages }) => messages.some(({ clean }) => /\p{L}{3}/u.test(clean)));
  const figure = (what: string, { all, right }: { all: number; right: number }): Figure => ({
    area: "quotes",
    what,
    ours: share(right, all),
    against: "`clean.slice(start, end) === quote` in the stored message",
    met: all > 0 && right === all,
  });
  return [
    figure("quotes of summaries that are there, word for word", inSummaries),
    figure("quotes of positions", inPositions),
    figure("quotes of votes, calls and decisions", inOutcomes),
    {
      area: "quotes",
      what: "summary sentences without a citation",
      ours: count(silent.length),
      against: "0 asked",
      met: silent.length === 0,
    },
    {
      area: "quotes",
      what: "threads with words in them that have a summary",
      ours: share(
        withWords.filter(({ summary }) => (summary?.sentences.length ?? 0) > 0).length,
        withWords.length,
      ),
      against: "every thread in which somebody wrote a word",
      met: null,
    },
  ];
}

interface Quote {
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly quote: string;
}

const isTrue = ({ messages }: ThreadStory, { message, start, end, quote }: Quote): boolean =>
  quote !== "" && messages.find(({ id }) => id === message)?.clean.slice(start, end) === quote;

/** A vote with an outcome stated in the archive, read by eye, mail by mail. */
interface KnownVote {
  readonly list: string;
  readonly subject: RegExp;
  readonly name: string;
  readonly declared: string;
  readonly kind: string | null;
  readonly tally: string;
  readonly levels: readonly string[];
}

const knownVotes: readonly KnownVote[] = [
  {
    list: "list-ponymail",
    subject: /^\[VOTE\].*JDeprScan/,
    name: "Maven JDeprScan 3.0.0-alpha-1",
    declared: "passed, 5 names for it",
    kind: "vote-passed",
    tally: "5/0/0",
    levels: ["strong"],
  },
  {
    list: "list-ponymail",
    subject: /^\[VOTE\].*Javadoc Plugin version 3\.0\.0$/,
    name: "Maven Javadoc 3.0.0",
    declared: "cancelled after one -1",
    kind: "cancelled",
    tally: "0/1/0",
    levels: ["undecided", "none"],
  },
  {
    list: "list-ponymail",
    subject: /^\[VOTE\].*Javadoc Plugin version 3\.0\.0 \(take 2\)$/,
    name: "Maven Javadoc 3.0.0, take 2",
    declared: "cancelled, nobody voted",
    kind: "cancelled",
    tally: "none",
    levels: ["undecided", "none"],
  },
  {
    list: "list-ponymail",
    subject: /^\[VOTE\].*Maven Indexer 6\.0\.0/,
    name: "Maven Indexer 6.0.0",
    declared: "nothing yet: the archive ends; 5 mails say +1",
    kind: null,
    tally: "5/0/0",
    levels: ["strong"],
  },
  {
    list: "list-perceval",
    subject: /Committer vote for/,
    name: "an Eclipse committer vote",
    declared: "passed, 4/0/0, told by a robot",
    kind: "vote-passed",
    tally: "4/0/0",
    levels: ["strong"],
  },
];

export interface VoteRow extends Readonly<Record<string, string>> {}

/** One row per vote, and the number of Apache votes with the declared outcome. */
export function voteFigures({ lists }: FinishedRun): {
  figures: readonly Figure[];
  rows: readonly VoteRow[];
} {
  const read = knownVotes.map((known) => {
    const story = lists
      .find(({ list }) => list === known.list)
      ?.stories.find(({ thread, messages }) => known.subject.test(thread.subject) && messages.length > 0);
    const { tally = null, level = "–", decisions = [] } = story?.assessment ?? {};
    const kinds = [...new Set(decisions.map(({ kind }) => kind))];
    const given = tally ? `${tally.for}/${tally.against}/${tally.abstain}` : "none";
    const right = {
      kind: known.kind === null ? kinds.length === 0 : kinds.includes(known.kind as never),
      tally: given === known.tally,
      level: known.levels.includes(level),
    };
    const row: VoteRow = {
      vote: known.name,
      "the archive says": known.declared,
      "our decision": kinds.join(", ") || "none",
      "our tally (for/against/abstain)": given,
      "our level": level,
      right: right.kind && right.tally && right.level ? "yes" : `no: ${wrongOf(right)}`,
    };
    return { known, row, isRight: right.kind && right.tally && right.level };
  });
  const apache = read.filter(({ known }) => known.list === "list-ponymail");
  const equal = apache.filter(({ isRight }) => isRight).length;
  return {
    rows: read.map(({ row }) => row),
    figures: [
      {
        area: "consensus",
        what: "Apache votes with the right decision, tally and level",
        ours: share(equal, apache.length),
        against: "what the vote's holder declared in [RESULT] and [CANCELED] mails",
        met: equal === apache.length,
      },
    ],
  };
}

const wrongOf = (right: Readonly<Record<string, boolean>>): string =>
  Object.keys(right)
    .filter((name) => !right[name])
    .join(", ");

export function positionFigures({ lists }: FinishedRun): readonly Figure[] {
  const made = new Map(
    lists
      .flatMap(({ stories }) => stories.flatMap(({ positions }) => positions))
      .map((each) => [each.id, each.stance]),
  );
  return [
    {
      area: "consensus",
      what: "positions found in all lists",
      ours: count(made.size),
      against: [...new Set(made.values())]
        .map((stance) => `${stance} ${[...made.values()].filter((each) => each === stance).length}`)
        .join(", "),
      met: null,
    },
  ];
}
